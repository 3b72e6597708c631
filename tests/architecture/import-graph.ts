import { posix } from 'node:path';
import ts from 'typescript';
import { readSourceFile } from './source-files.ts';

export interface Import {
  /** File that imports, from the project's folder. */
  readonly from: string;
  /** File that is imported, from the project's folder, or the name of a package. */
  readonly to: string;
  /** Whether nothing of it is left when the program runs. */
  readonly isTypeOnly: boolean;
  /** Whether it is loaded when the importing code asks for it, not before. */
  readonly isDynamic: boolean;
}

/** @returns what a TypeScript file or a component imports and re-exports, in the order of the file. */
export function listImports(from: string): Import[] {
  const source = ts.createSourceFile(
    from,
    readScript(from),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TS,
  );
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean, isDynamic = false) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    imports.push({ from, to: resolveSpecifier(from, specifier.text), isTypeOnly, isDynamic });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeImport(node));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false, true);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return imports;
}

/**
 * Finds one circle in what files load before they run. Type imports and dynamic ones cannot make
 * one: the first are gone at run time, the second wait until everything is loaded.
 *
 * @returns the files of the circle, the first one repeated at the end; null if there is none.
 */
export function findCycle(imports: readonly Import[]): string[] | null {
  const targets = new Map<string, string[]>();
  for (const { from, to, isTypeOnly, isDynamic } of imports) {
    if (isTypeOnly || isDynamic) continue;
    targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | null => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (done.has(file)) return null;
    for (const target of targets.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return null;
}

function readScript(path: string): string {
  const text = readSourceFile(path);
  if (!path.endsWith('.svelte')) return text;
  return [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map(([, script]) => script)
    .join('\n');
}

/** With `verbatimModuleSyntax`, `import { type A }` still loads the file: only `import type` is none. */
function isTypeImport(node: ts.ImportDeclaration): boolean {
  return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

function resolveSpecifier(from: string, specifier: string): string {
  if (specifier.startsWith('#lib/')) return specifier.replace('#lib/', 'console/src/lib/');
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier);
}
