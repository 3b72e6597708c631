/** A half of a surrogate pair, as JSON text spells it. */
const ESCAPED_HALF = /\\ud[89a-f]/i;

/**
 * A JSON value whose strings hold no half of a surrogate pair: each becomes U+FFFD, since strict
 * servers refuse a request with one. A value without any comes back as it is.
 */
export function toWellFormedJson<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  if (text === undefined || !ESCAPED_HALF.test(text)) return value;
  return JSON.parse(text, (_key, inner: unknown) =>
    typeof inner === 'string' ? inner.toWellFormed() : inner,
  ) as Value;
}
