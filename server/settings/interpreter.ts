import { flag, integer, names, optionalText, url, type Setting } from './kinds.ts';

const PACKAGES = [
  'matplotlib',
  'numpy',
  'openpyxl',
  'pandas',
  'pypdf',
  'python-docx',
  'reportlab',
  'scikit-learn',
  'scipy',
  'seaborn',
  'sympy',
  'xlsxwriter',
];

/** How code_interpreter runs Python. */
export const INTERPRETER_SETTINGS = {
  interpreterPackages: {
    name: 'TOOLS_CODE_INTERPRETER_DEPS_ALLOWLIST',
    kind: names(PACKAGES),
    about: 'Python packages that code_interpreter may load; replaces the default list.',
    forTools: true,
  },
  interpreterImportAllowlist: {
    name: 'TOOLS_CODE_INTERPRETER_IMPORT_ALLOWLIST',
    kind: names([]),
    about: 'Python modules that code may import; empty allows all that the denylist does not name.',
    forTools: true,
  },
  interpreterImportDenylist: {
    name: 'TOOLS_CODE_INTERPRETER_IMPORT_DENYLIST',
    kind: names([
      'socket',
      'ssl',
      'http',
      'urllib',
      'urllib3',
      'requests',
      'httpx',
      'aiohttp',
      'ftplib',
      'smtplib',
      'telnetlib',
      'poplib',
      'imaplib',
      'nntplib',
      'xmlrpc',
      'socketserver',
      'subprocess',
      'multiprocessing',
      'ctypes',
      'js',
      'pyodide',
      'pyodide_js',
      'micropip',
    ]),
    about: 'Python modules that code may not import.',
    forTools: true,
  },
  interpreterTimeoutSeconds: {
    name: 'TOOLS_CODE_INTERPRETER_TIMEOUT',
    kind: integer(90, 1, 3_600),
    about: 'Seconds that one run of code_interpreter may take.',
    forTools: true,
  },
  interpreterAllowNetworking: {
    name: 'TOOLS_CODE_INTERPRETER_ALLOW_NETWORKING',
    kind: flag(false),
    about: 'Whether sandboxed Python may open network connections.',
    forTools: true,
  },
  interpreterUnsandboxed: {
    name: 'TOOLS_CODE_INTERPRETER_UNSANDBOXED',
    kind: flag(false),
    about:
      'Dangerous: runs Python on this machine with all rights of the server instead of in the sandbox; for operators alone.',
    forTools: true,
  },
  interpreterPool: {
    name: 'TOOLS_CODE_INTERPRETER_POOL',
    kind: integer(1, 0, 32),
    about: 'Python processes that are kept ready for the next run.',
  },
  interpreterMemoryMb: {
    name: 'TOOLS_CODE_INTERPRETER_MEMORY_MB',
    kind: integer(1_024, 256, 1_048_576),
    about: 'Megabytes that all sandboxed Python processes may use together.',
  },
  denoPath: {
    name: 'DENO_PATH',
    aliases: ['D_AI_DENO_PATH'],
    kind: optionalText,
    about: 'Deno program for the Python sandbox, in place of the installed one.',
  },
  montyPath: {
    name: 'MONTY_PATH',
    kind: optionalText,
    about: 'Monty program for short standard-library scripts, in place of the installed one.',
  },
  pyodideBaseUrl: {
    name: 'PYODIDE_BASE_URL',
    kind: url('https://cdn.jsdelivr.net/pyodide'),
    about: 'Where Python packages built for Pyodide are loaded from.',
  },
  pypiFilesBaseUrl: {
    name: 'PYPI_FILES_BASE_URL',
    kind: url('https://files.pythonhosted.org'),
    about: 'Where pure Python packages are loaded from.',
  },
} as const satisfies Record<string, Setting>;
