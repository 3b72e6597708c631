/** Globals that Python's runtime needs, and that reach nothing outside of the process. */
const KEPT = [
  ...['globalThis', 'Object', 'Array', 'Function', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef'],
  ...[
    'FinalizationRegistry',
    'Promise',
    'Proxy',
    'Reflect',
    'Symbol',
    'String',
    'Number',
    'Boolean',
  ],
  ...['BigInt', 'Date', 'RegExp', 'Math', 'JSON', 'Iterator', 'WebAssembly', 'Infinity', 'NaN'],
  ...['Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError'],
  ...['TypeError', 'URIError', 'SuppressedError', 'DOMException', 'undefined', 'isNaN', 'isFinite'],
  ...[
    'parseInt',
    'parseFloat',
    'decodeURIComponent',
    'encodeURIComponent',
    'decodeURI',
    'encodeURI',
  ],
  ...['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'Int8Array', 'Uint8Array'],
  ...[
    'Uint8ClampedArray',
    'Int16Array',
    'Uint16Array',
    'Int32Array',
    'Uint32Array',
    'Float16Array',
  ],
  ...['Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'TextEncoder'],
  ...['TextDecoder', 'performance', 'crypto', 'setTimeout', 'clearTimeout', 'setInterval'],
  ...['clearInterval', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'MessageChannel'],
  ...['Event', 'EventTarget', 'AbortController', 'AbortSignal', 'URL', 'Blob'],
];

/** What Python's own HTTP client is made of. */
const NETWORK = [
  ...['fetch', 'Request', 'Response', 'Headers', 'FormData', 'ReadableStream'],
  ...['AbortController', 'AbortSignal', 'Object'],
];

export function listNetworkGlobals() {
  return Object.fromEntries(NETWORK.map((name) => [name, globalThis[name]]));
}

/**
 * Takes away what JavaScript could do harm with, should Python find a way to it: every way to make code
 * from text, and every global that is not needed. The wall is the permissions; this is the fence before it.
 */
export function cutDown({ hasNetwork }) {
  disableCodeFromText();
  const kept = new Set([...KEPT, ...(hasNetwork ? NETWORK : [])]);
  for (const key of Reflect.ownKeys(globalThis)) {
    if (typeof key === 'string' && !kept.has(key)) removeGlobal(key);
  }
  const nothing = () => undefined;
  const names = ['log', 'info', 'warn', 'error', 'debug', 'trace'];
  fix(
    globalThis,
    'console',
    Object.freeze(Object.fromEntries(names.map((name) => [name, nothing]))),
  );
}

function disableCodeFromText() {
  const refuse = function () {
    throw new EvalError('Code cannot be made from text here.');
  };
  Object.defineProperty(refuse, 'prototype', { value: Function.prototype });
  const prototypes = [
    Function.prototype,
    Object.getPrototypeOf(async () => undefined),
    Object.getPrototypeOf(function* () {}),
    Object.getPrototypeOf(async function* () {}),
  ];
  for (const prototype of prototypes) fix(prototype, 'constructor', refuse);
  fix(globalThis, 'Function', refuse);
}

function removeGlobal(key) {
  if (Reflect.deleteProperty(globalThis, key)) return;
  fix(globalThis, key, undefined);
}

function fix(object, key, value) {
  Object.defineProperty(object, key, { value, writable: false, configurable: false });
}
