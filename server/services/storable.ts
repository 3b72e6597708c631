/** PostgreSQL stores neither U+0000 nor half a surrogate pair; both become U+FFFD. */
export const storableText = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed();

/** The same for every string inside a JSON value; anything that is no JSON is dropped or becomes null. */
export function storableJson(value: unknown): object | string | number | boolean | null {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' ? storableText(inner) : inner,
  );
  return text === undefined ? null : (JSON.parse(text) as object);
}
