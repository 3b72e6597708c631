import { ProviderError, type ProviderErrorKind } from '../../providers/provider-error.ts';
import { failed, type ToolErrorCode, type ToolResult } from '../kit/tool-result.ts';

const CODES: Readonly<Record<ProviderErrorKind, ToolErrorCode>> = {
  cancelled: 'CANCELLED',
  'timed-out': 'TIMED_OUT',
  unreachable: 'UNAVAILABLE',
  'rate-limited': 'UNAVAILABLE',
  unavailable: 'UNAVAILABLE',
  refused: 'FAILED',
  'not-found': 'NOT_FOUND',
  'too-large': 'FAILED',
  malformed: 'UNAVAILABLE',
};

/** The result of a call whose provider failed; anything but a ProviderError is a bug and thrown on. */
export function failedByProvider(error: unknown): ToolResult {
  if (!(error instanceof ProviderError)) throw error;
  return failed(CODES[error.kind], error.message);
}
