import { describe, expect, test } from 'vitest';
import {
  findImports,
  listModules,
  type PythonImport,
} from '../../../server/tools/code-interpreter/imports.ts';
import { parsePython } from '../../../server/tools/code-interpreter/parse.ts';

function importsOf(code: string): PythonImport[] {
  const parsed = parsePython(code);
  if (parsed === null) throw new Error('The code was not read.');
  return findImports(parsed);
}

const modulesOf = (code: string): string[] => listModules(importsOf(code));

describe('imports', () => {
  test.each([
    ['import numpy as np, os.path', ['numpy', 'os']],
    ['from sklearn.linear_model import LinearRegression', ['sklearn']],
    ['def f():\n    import docx\n', ['docx']],
    ['x = 1; import a; from b import c', ['a', 'b']],
    ['try:\n    import ujson as json\nexcept ImportError:\n    import json', ['ujson', 'json']],
    ['from PIL import (\n    Image,  # pictures\n    ImageDraw,\n)', ['PIL']],
    ['from matplotlib import *', ['matplotlib']],
    ['import a\nimport a.b\nfrom a import c', ['a']],
    ['if x:\n\tfrom . import y', []],
    ['import \\\n    numpy', ['numpy']],
    ["__import__('socket')", ['socket']],
    ["importlib.import_module('os.path')", ['os']],
    ['import_module("bs4")', ['bs4']],
    ["__import__(r'yaml', fromlist=['x'])", ['yaml']],
    ['type X = int\ndef f[T](x: T): import lxml', ['lxml']],
    ['print(f"{x["a"]}"); import yaml', ['yaml']],
    ['class A:\n  import cv2\n', ['cv2']],
    ['match x:\n    case 1:\n        import one\n    case _: import two', ['one', 'two']],
    ['async def f():\n    import aio', ['aio']],
    ['import é', ['é']],
  ])('are found in %j', (code, modules) => {
    expect(modulesOf(code)).toEqual(modules);
  });

  test.each([
    ['"import notreal"'],
    ["'''\nimport notreal\n'''"],
    ['# import notreal'],
    ["f'import {x}'"],
    ['importlib = 3; imported = 4'],
    ['__import__(name)'],
    ["__import__(f'{name}')"],
    ["__import__('soc' 'ket')"],
    ["load('socket')"],
  ])('are not seen in %j', (code) => {
    expect(modulesOf(code)).toEqual([]);
  });

  test('carry their line, their members and their dots', () => {
    expect(importsOf('\n\nfrom ..x.y import (a as b, c)\n\n\nimport d.e as f')).toEqual([
      { name: 'x.y', members: ['a', 'c'], level: 2, line: 3 },
      { name: 'd.e', members: [], level: 0, line: 6 },
    ]);
    expect(importsOf('from . import y')).toEqual([{ name: '', members: ['y'], level: 1, line: 1 }]);
    expect(importsOf("x\r\ny\rimport_module('.z')")).toEqual([
      { name: 'z', members: [], level: 1, line: 3 },
    ]);
  });

  test('are found beside what is no Python', () => {
    expect(modulesOf('import numpy\nx = = 3\nimport pandas\n)')).toEqual(['numpy', 'pandas']);
  });
});

describe('reading', () => {
  const MANY = 60_000;

  test.each([
    ['lines', 'x = foo(1, 2)\n'.repeat(MANY / 14)],
    ['open brackets', '('.repeat(MANY)],
    ['signs', '-'.repeat(MANY)],
    ['stars', '*'.repeat(MANY)],
    ['colons', ':'.repeat(MANY)],
    ['braces', '{a:'.repeat(MANY / 3)],
    ['lambdas', 'lambda:'.repeat(MANY / 7)],
    ['nested text', 'f"{'.repeat(MANY / 3)],
    ['words without sense', 'a b c d e f\n'.repeat(MANY / 12)],
    ['steps in', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}if x:\n`).join('')],
  ])('ends for 60,000 characters of %s', { timeout: 20_000 }, (_what, code) => {
    const parsed = parsePython(code, { maxMs: 20_000 });

    expect(parsed?.tree.length).toBe(code.length);
    if (parsed !== null) expect(findImports(parsed)).toEqual([]);
  });

  test('stops when its time is over', () => {
    let time = 0;
    const now = () => (time += 1);

    expect(parsePython(':'.repeat(MANY), { now, maxMs: 20 })).toBeNull();
    expect(parsePython('x = 1', { now, maxMs: 20 })).not.toBeNull();
  });
});
