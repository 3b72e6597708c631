/**
 * Puts a text on the clipboard.
 *
 * @returns whether the browser let it happen.
 */
export async function copyText(text: string): Promise<boolean> {
  // Pages that came over plain HTTP from another machine have no `clipboard`.
  if (navigator.clipboard === undefined) return copySelected(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** The way of older browsers: copies what is selected in a field that nobody sees. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.style.cssText = 'position: fixed; opacity: 0';
  (before?.closest('dialog') ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
