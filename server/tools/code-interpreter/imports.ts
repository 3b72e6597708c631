import { childrenOf, literalText, type ParsedPython, type PythonNode } from './parse.ts';

export interface PythonImport {
  /** Full dotted name, e.g. `sklearn.linear_model`; empty for `from . import x`. */
  readonly name: string;
  /** Names taken out of it, e.g. `['LinearRegression']`, `['*']`; empty for `import x`. */
  readonly members: readonly string[];
  /** Leading dots. */
  readonly level: number;
  readonly line: number;
}

/**
 * Everything that the code imports, in the order of the code: both import statements wherever
 * they stand, and `__import__` and `import_module` with a plain text in them.
 */
export function findImports(parsed: ParsedPython): PythonImport[] {
  const imports: PythonImport[] = [];
  parsed.tree.iterate({
    enter({ name, node }) {
      if (name === 'ImportStatement') imports.push(...readStatement(parsed, node));
      if (name === 'CallExpression') imports.push(...readCall(parsed, node));
    },
  });
  return imports;
}

/** Top-level modules, each once, e.g. `sklearn`; what is imported relatively is none. */
export function listModules(imports: readonly PythonImport[]): string[] {
  const names = imports.filter(({ level }) => level === 0).map(({ name }) => topLevelOf(name));
  return [...new Set(names)];
}

export const topLevelOf = (name: string): string => name.split('.')[0] ?? '';

function readStatement(parsed: ParsedPython, statement: PythonNode): PythonImport[] {
  const line = parsed.lineOf(statement.from);
  const words = [...childrenOf(statement)];
  if (words[0]?.name === 'import') {
    const names = splitAtCommas(words.slice(1)).map((part) => dottedName(parsed, part));
    return names
      .filter((name) => name !== '')
      .map((name) => ({ name, members: [], level: 0, line }));
  }
  const at = words.findIndex(({ name }) => name === 'import');
  const source = words.slice(1, at === -1 ? undefined : at);
  const taken = at === -1 ? [] : words.slice(at + 1);
  const level = source.findIndex(({ name }) => name !== '.');
  const name = level === -1 ? '' : dottedName(parsed, source.slice(level));
  const members = splitAtCommas(taken).map((part) => memberName(parsed, part));
  return [
    {
      name,
      members: members.filter((member) => member !== ''),
      level: level === -1 ? source.length : level,
      line,
    },
  ];
}

function splitAtCommas(words: readonly PythonNode[]): PythonNode[][] {
  const parts: PythonNode[][] = [[]];
  for (const word of words) {
    if (word.name === ',') parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

/** `a.b as c` gives `a.b`. */
function dottedName(parsed: ParsedPython, words: readonly PythonNode[]): string {
  const end = words.findIndex(({ name }) => name === 'as');
  const names = (end === -1 ? words : words.slice(0, end)).filter(
    ({ name }) => name === 'VariableName',
  );
  return names.map(parsed.textOf).join('.');
}

function memberName(parsed: ParsedPython, words: readonly PythonNode[]): string {
  const first = words.find(({ name }) => name === 'VariableName' || name === '*');
  return first === undefined ? '' : parsed.textOf(first);
}

const IMPORTERS = ['__import__', 'import_module'];

function readCall(parsed: ParsedPython, call: PythonNode): PythonImport[] {
  const callee = call.firstChild;
  const named = callee?.name === 'MemberExpression' ? callee.lastChild : callee;
  if (named === null || !IMPORTERS.includes(parsed.textOf(named))) return [];
  const argument = call.getChild('ArgList')?.firstChild?.nextSibling ?? null;
  const text = literalText(parsed, argument);
  if (text === null) return [];
  const level = /^\.*/.exec(text)?.[0].length ?? 0;
  return [{ name: text.slice(level), members: [], level, line: parsed.lineOf(call.from) }];
}
