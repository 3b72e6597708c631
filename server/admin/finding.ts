/** One thing that the doctor looked at. */
export interface Finding {
  readonly mark: 'ok' | 'note' | 'problem';
  readonly text: string;
}
