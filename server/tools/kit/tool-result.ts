/** Why a call failed, in a word that models, tests and the console may branch on. */
export type ToolErrorCode =
  | 'UNKNOWN_TOOL'
  | 'INACTIVE_TOOL'
  | 'INVALID_ARGUMENTS'
  | 'OVERLOADED'
  | 'CANCELLED'
  | 'INTERRUPTED'
  | 'TIMED_OUT'
  | 'CRASHED'
  | 'OUTPUT_TOO_LARGE'
  | 'INVALID_RESULT'
  | 'NOT_FOUND'
  | 'UNAVAILABLE'
  | 'FAILED';

export interface ResultExtras {
  /** Steers the model's next step; replaces the tool's own `systemHints`. */
  readonly systemHint?: string;
  /** Fields that the model reads beside `data`. */
  readonly topLevel?: Readonly<Record<string, unknown>>;
}

/** What came of one call. Tools never throw to report an outcome; a thrown error becomes `FAILED`. */
export type ToolResult = ResultExtras &
  (
    | { readonly status: 'success'; readonly data: unknown }
    | { readonly status: 'noop'; readonly message: string; readonly data?: unknown }
    | {
        readonly status: 'error';
        readonly code: ToolErrorCode;
        readonly message: string;
        readonly data?: unknown;
      }
  );

export const ok = (data: unknown, extras: ResultExtras = {}): ToolResult => ({
  status: 'success',
  data,
  ...extras,
});

export const noop = (
  message: string,
  extras: ResultExtras & { data?: unknown } = {},
): ToolResult => ({
  status: 'noop',
  message,
  ...extras,
});

export const failed = (
  code: ToolErrorCode,
  message: string,
  extras: ResultExtras & { data?: unknown } = {},
): ToolResult => ({ status: 'error', code, message, ...extras });

/** The JSON object that the model reads as the result of the call. */
export function toModelResult(result: ToolResult): Record<string, unknown> {
  const { topLevel, systemHint, ...rest } = result;
  return {
    ...rest,
    ...topLevel,
    ...(systemHint === undefined ? {} : { system_hint: systemHint }),
  };
}
