export interface WikiQuestion {
  readonly query: string;
  /** Code of a language edition, checked. */
  readonly language: string;
  readonly limit: number;
}
