import { extname } from 'node:path';

export type FileKind = 'text' | 'table' | 'interpreter';

const TABLES = ['.csv', '.tsv'];
const TEXTS = [
  ...['.txt', '.md', '.json', '.jsonl', '.xml', '.html', '.htm', '.yaml', '.yml', '.toml', '.ini'],
  ...['.cfg', '.conf', '.log', '.py', '.js', '.ts', '.sh', '.bash', '.sql', '.r', '.rs', '.go'],
  ...['.java', '.c', '.cpp', '.h', '.hpp', '.css', '.scss'],
];
/** Their contents take Python; `view` tells what and where they are. */
const INTERPRETER_ONLY = ['.xlsx', '.docx', '.pdf'];

export const VIEWABLE_EXTENSIONS: readonly string[] = [...TEXTS, ...TABLES, ...INTERPRETER_ONLY];

/** How a file of that name is shown; null when it is not. */
export function findFileKind(filename: string): FileKind | null {
  const extension = extname(filename).toLowerCase();
  if (TABLES.includes(extension)) return 'table';
  if (TEXTS.includes(extension)) return 'text';
  return INTERPRETER_ONLY.includes(extension) ? 'interpreter' : null;
}
