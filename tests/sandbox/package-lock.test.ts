import { expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import {
  createPackageIndex,
  normaliseName,
  readInstalledLocks,
} from '../../server/sandbox/package-lock.ts';

const { config } = readConfig({});
const locks = readInstalledLocks(config);
const index = createPackageIndex(locks);

test.each([
  ['docx', 'python-docx'],
  ['sklearn.linear_model', 'scikit-learn'],
  ['PIL', 'pillow'],
  ['bs4', 'beautifulsoup4'],
  ['yaml', 'pyyaml'],
  ['cv2', 'opencv-python'],
  ['dateutil', 'python-dateutil'],
  ['matplotlib.pyplot', 'matplotlib'],
  ['openpyxl', 'openpyxl'],
  ['json', null],
  ['pydoc_data', null],
])('the module %s is brought by %s', (module, name) => {
  expect(index.findByImport(module)).toBe(name);
});

test('all that is allowed by default, and all that it needs, is in a lock', () => {
  const known = new Map(
    locks.flatMap(({ packages }) => packages.map((one) => [normaliseName(one.name), one])),
  );
  const closure = index.close(config.interpreterPackages).map(({ name }) => name);
  const needed = closure.flatMap((name) => known.get(name)!.depends);

  expect(config.interpreterPackages.filter((name) => !index.has(name))).toEqual([]);
  expect(needed.filter((name) => !closure.includes(normaliseName(name)))).toEqual([]);
  expect(closure).toEqual(expect.arrayContaining(['et-xmlfile', 'lxml', 'pillow', 'six']));
});

test('a file is sought where its host keeps it', () => {
  const urlOf = (name: string) => index.close([name]).at(-1)?.url;

  expect(urlOf('numpy')).toMatch(
    /^https:\/\/[^/]+\/pyodide\/v\d+\.\d+\.\d+\/full\/numpy-[\d.]+-cp\d+-cp\d+-pyemscripten_\w+\.whl$/,
  );
  expect(urlOf('openpyxl')).toMatch(
    /^https:\/\/[^/]+\/packages\/c0\/da\/977ded879c29\w{48}\/openpyxl-3\.1\.5-py2\.py3-none-any\.whl$/,
  );
});
