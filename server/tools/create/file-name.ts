import { extname } from 'node:path';

/** What can be created, with its media type. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.toml': 'application/toml',
  '.py': 'text/x-python',
  '.sh': 'application/x-sh',
  '.sql': 'application/sql',
};
const MAX_CHARACTERS = 200;

/** What is wrong with a name, as a whole sentence; null when a file of that name can be created. */
export function findNameProblem(name: string): string | null {
  const shown = JSON.stringify(name);
  if (/[/\\]/.test(name) || /^\.+$/.test(name)) {
    return `filename is ${shown}, but must be a plain name without folders, e.g. "report.md".`;
  }
  if (/\p{Cc}/u.test(name)) return `filename is ${shown}, but must have no control characters.`;
  if (name.length > MAX_CHARACTERS) {
    return `filename has ${name.length} characters, but may have at most ${MAX_CHARACTERS}.`;
  }
  if (extensionOf(name) in MIME_TYPES) return null;
  const known = Object.keys(MIME_TYPES).join(', ');
  return `filename is ${shown}, but must end in one of ${known}. Other files take code_interpreter.`;
}

export const extensionOf = (name: string): string => extname(name).toLowerCase();

/** The media type of a name that {@link findNameProblem} has nothing against. */
export const mimeTypeOf = (name: string): string => MIME_TYPES[extensionOf(name)] ?? 'text/plain';
