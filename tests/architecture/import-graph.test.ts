import { expect, test } from 'vitest';
import { type Import, findCycle, listImports } from './import-graph.ts';

const load = (from: string, to: string, kind: Partial<Import> = {}): Import => ({
  from,
  to,
  isTypeOnly: false,
  isDynamic: false,
  ...kind,
});

test('a circle over several files is found and told in order', () => {
  const imports = [load('a', 'b'), load('x', 'b'), load('b', 'c'), load('c', 'b')];

  expect(findCycle(imports)).toEqual(['b', 'c', 'b']);
});

test('two ways to the same file are no circle', () => {
  const imports = [load('a', 'b'), load('a', 'c'), load('b', 'd'), load('c', 'd')];

  expect(findCycle(imports)).toBeNull();
});

test('an import of types, or one at run time, closes no circle', () => {
  expect(findCycle([load('a', 'b'), load('b', 'a', { isTypeOnly: true })])).toBeNull();
  expect(findCycle([load('a', 'b'), load('b', 'a', { isDynamic: true })])).toBeNull();
});

test('imports are read with their kind and as paths from the project', () => {
  const imports = listImports('tests/architecture/layers.test.ts');

  expect(imports).toContainEqual(
    load('tests/architecture/layers.test.ts', 'tests/architecture/source-files.ts'),
  );
  expect(imports).toContainEqual(load('tests/architecture/layers.test.ts', 'vitest'));
});
