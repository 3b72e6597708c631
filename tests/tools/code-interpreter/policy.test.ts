import { describe, expect, test } from 'vitest';
import { findImports } from '../../../server/tools/code-interpreter/imports.ts';
import { parsePython } from '../../../server/tools/code-interpreter/parse.ts';
import {
  findDependencyProblem,
  findImportProblem,
  type ImportPolicy,
} from '../../../server/tools/code-interpreter/policy.ts';
import { INTERPRETER_SETTINGS } from '../../../server/settings/interpreter.ts';

const DENYLIST = INTERPRETER_SETTINGS.interpreterImportDenylist.kind.fallback;

function problemOf(code: string, policy: Partial<ImportPolicy> = {}): string | null {
  const parsed = parsePython(code);
  if (parsed === null) throw new Error('The code was not read.');
  return findImportProblem(findImports(parsed), { allowlist: [], denylist: DENYLIST, ...policy });
}

describe('an import', () => {
  test.each([
    ['import socket', 'Line 1 imports "socket", which code may not import here.'],
    [
      'x = 1\nimport os, subprocess as s',
      'Line 2 imports "subprocess", which code may not import here.',
    ],
    [
      'from urllib.request import urlopen',
      'Line 1 imports "urllib.request", which code may not import here.',
    ],
    [
      "def f():\n    return __import__('ctypes')",
      'Line 2 imports "ctypes", which code may not import here.',
    ],
    [
      "import importlib\nimportlib.import_module('http.client')",
      'Line 2 imports "http.client", which code may not import here.',
    ],
    ['import js', 'Line 1 imports "js", which code may not import here.'],
    [
      'from .models import User',
      'Line 1 imports ".models" relatively, but the code is in no package: import modules by their full name.',
    ],
    [
      'import ssl\nimport js',
      'Line 1 imports "ssl", which code may not import here. Line 2 imports "js", which code may not import here.',
    ],
  ])('of the denylist is refused with its line: %j', (code, problem) => {
    expect(problemOf(code)).toBe(problem);
  });

  test.each([
    ['import json, math, os'],
    ['import pandas as pd\nfrom docx import Document'],
    ['import https, sockets, jsonschema'],
    ['# import socket'],
  ])('of anything else is allowed: %j', (code) => {
    expect(problemOf(code)).toBeNull();
  });

  test('is held against dotted names too', () => {
    const denylist = ['os.path', 'matplotlib.pyplot'];

    expect(problemOf('import os', { denylist })).toBeNull();
    expect(problemOf('from os import path', { denylist })).toContain('"os.path"');
    expect(problemOf('from os import getcwd', { denylist })).toBeNull();
    expect(problemOf('import matplotlib.pyplot as plt', { denylist })).toContain(
      'matplotlib.pyplot',
    );
    expect(problemOf('import matplotlib.pyplotter', { denylist })).toBeNull();
  });

  test('must be on the allowlist when there is one, and the denylist is stronger', () => {
    const allowlist = ['math', 'json', 'os.path', 'socket'];

    expect(
      problemOf('import math\nfrom json import loads\nimport os.path', { allowlist }),
    ).toBeNull();
    expect(problemOf('\nimport numpy', { allowlist })).toBe(
      'Line 2 imports "numpy", which is not one of the modules that code may import here: math, json, os.path, socket.',
    );
    expect(problemOf('import os', { allowlist })).toContain('"os"');
    expect(problemOf('import socket', { allowlist })).toContain('may not import here');
  });

  test('is one of five that are listed; the others are counted', () => {
    const code = Array.from({ length: 60 }, (_, index) => `import js, ssl${index}`);
    const problem = problemOf(code.join('\n')) ?? '';

    expect(problem).toContain('Line 5 imports "js"');
    expect(problem).not.toContain('Line 6');
    expect(problem).toContain('55 more imports are not allowed either.');
  });

  test('with an endless name is told by its beginning', () => {
    expect(problemOf(`import socket.${'a'.repeat(5_000)}`)?.length).toBeLessThan(200);
  });
});

describe('a dependency', () => {
  const allowlist = ['numpy', 'python-docx', 'scikit-learn'];

  test('of the allowlist may be loaded however it is written', () => {
    expect(findDependencyProblem(['numpy', 'Python_Docx', 'scikit.learn'], allowlist)).toBeNull();
    expect(findDependencyProblem([], [])).toBeNull();
  });

  test('of no list is refused with those that may be loaded', () => {
    expect(findDependencyProblem(['numpy', 'torch', 'docx'], allowlist)).toBe(
      '"torch", "docx" may not be loaded; these may: numpy, python-docx, scikit-learn.',
    );
    expect(findDependencyProblem(['numpy'], [])).toBe(
      '"numpy" may not be loaded; no package may be loaded here.',
    );
  });
});
