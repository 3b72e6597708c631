/** A half of a surrogate pair, as JSON text spells it. */
const ESCAPED_HALF = /\\ud[89a-f]/i;

/** Whether no string inside a JSON value holds half of a surrogate pair. */
export const isWellFormedJson = (value: unknown): boolean =>
  !ESCAPED_HALF.test(JSON.stringify(value) ?? '');

/**
 * A JSON value whose strings hold no half of a surrogate pair: each becomes U+FFFD, since strict
 * servers refuse a request with one. A value without any comes back as it is.
 */
export function toWellFormedJson<Value>(value: Value): Value {
  if (isWellFormedJson(value)) return value;
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === 'string' ? inner.toWellFormed() : inner,
  ) as Value;
}
