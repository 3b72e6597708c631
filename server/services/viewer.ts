/** Who makes a request, over whatever transport it came. */
export interface Viewer {
  readonly id: string;
  readonly role: 'USER' | 'OPERATOR';
  readonly email: string;
  readonly name: string;
  /** Id of the session or API key; ends with it. */
  readonly credentialId: string;
}
