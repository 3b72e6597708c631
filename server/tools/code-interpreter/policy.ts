import type { PythonImport } from './imports.ts';

/** Lists are of module names, top-level or dotted; a name stands for all that is below it. */
export interface ImportPolicy {
  /** Empty allows all that the denylist does not name. */
  readonly allowlist: readonly string[];
  readonly denylist: readonly string[];
}

const MAX_LISTED = 5;

/**
 * Says which imports may not be, with their lines. This keeps models from code that cannot work
 * here; what protects the machine is the sandbox.
 * @returns Whole sentences, or null when every import is allowed.
 */
export function findImportProblem(
  imports: readonly PythonImport[],
  policy: ImportPolicy,
): string | null {
  const problems = imports.flatMap((one) => {
    const problem = judgeImport(one, policy);
    return problem === null ? [] : [problem];
  });
  if (problems.length === 0) return null;
  const shown = [...new Set(problems)];
  const more = shown.length - MAX_LISTED;
  return [
    ...shown.slice(0, MAX_LISTED),
    ...(more > 0 ? [`${more} more imports are not allowed either.`] : []),
  ].join(' ');
}

function judgeImport(one: PythonImport, { allowlist, denylist }: ImportPolicy): string | null {
  const { name, members, level, line } = one;
  if (level > 0) {
    const written = `${'.'.repeat(level)}${name}`;
    return `Line ${line} imports "${cut(written)}" relatively, but the code is in no package: import modules by their full name.`;
  }
  const targets = members.length === 0 ? [name] : members.map((member) => `${name}.${member}`);
  const denied = targets.find((target) => isListed(target, denylist));
  if (denied !== undefined) {
    const shown = isListed(name, denylist) ? name : denied;
    return `Line ${line} imports "${cut(shown)}", which code may not import here.`;
  }
  if (allowlist.length === 0) return null;
  const unlisted = targets.find((target) => !isListed(target, allowlist));
  if (unlisted === undefined) return null;
  return `Line ${line} imports "${cut(name)}", which is not one of the modules that code may import here: ${listNames(allowlist)}.`;
}

const isListed = (target: string, names: readonly string[]): boolean =>
  names.some((name) => target === name || target.startsWith(`${name}.`));

/**
 * @param dependencies Package names as the model wrote them.
 * @returns A whole sentence, or null when all may be loaded.
 */
export function findDependencyProblem(
  dependencies: readonly string[],
  allowlist: readonly string[],
): string | null {
  const known = new Set(allowlist.map(plainName));
  const unknown = dependencies.filter((name) => !known.has(plainName(name)));
  if (unknown.length === 0) return null;
  const may =
    allowlist.length === 0 ? 'no package may be loaded here' : `these may: ${listNames(allowlist)}`;
  return `${listNames(unknown.map((name) => `"${cut(name)}"`))} may not be loaded; ${may}.`;
}

/** Python's own rule: case, and which of `-`, `_` and `.` is written, make no difference. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

const MAX_NAMES = 40;

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const MAX_NAME_CHARACTERS = 80;

const cut = (name: string): string =>
  name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS)}…`;
