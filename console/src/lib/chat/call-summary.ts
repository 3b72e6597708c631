const MAX_CHARACTERS = 120;

/** What a call is about, in a line: the values of its arguments. */
export function summarise(argumentsText: string): string {
  try {
    const values: unknown = JSON.parse(argumentsText);
    if (typeof values !== 'object' || values === null) return '';
    return Object.values(values)
      .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
      .join(' · ')
      .slice(0, MAX_CHARACTERS);
  } catch {
    return argumentsText.slice(0, MAX_CHARACTERS);
  }
}
