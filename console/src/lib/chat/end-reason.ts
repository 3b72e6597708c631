import * as m from '#lib/paraglide/messages.js';

const TEXTS: Readonly<Record<string, () => string>> = {
  CANCELLED: m.end_cancelled,
  CONTENT_FILTER: m.end_content_filter,
  DEADLINE: m.end_deadline,
  FAILED: m.end_failed,
  INTERRUPTED: m.end_interrupted,
  OUTPUT_LIMIT: m.end_output_limit,
  PROVIDER_ERROR: m.end_provider_error,
  REPEATED_CALL: m.end_repeated_call,
  STEP_LIMIT: m.end_step_limit,
};

/** Why an answer ended before it was complete, for a person; null for one that is complete. */
export function endReasonText(reason: string | null, message: string): string | null {
  if (reason === null || reason === 'COMPLETED') return null;
  const text = TEXTS[reason]?.() ?? reason;
  const isMoreTelling = ['PROVIDER_ERROR', 'FAILED'].includes(reason) && message !== '';
  return isMoreTelling ? `${text} ${message}` : text;
}
