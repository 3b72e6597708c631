// The inside of one sandbox process: makes Python ready, gives up every right, then runs one script and ends.
// Arguments: Pyodide's folder, the memory snapshot, "network" where connections are allowed.
//
// Frames on standard input and output: length of the payload (32 bits, little endian), type (8 bits),
// payload. A payload with a name begins with the length of the name (16 bits, little endian).
import { cutDown, listNetworkGlobals } from './cut-down.mjs';

const FRAME = { ready: 1, package: 10, input: 11, run: 12, artefact: 20, output: 21, result: 22 };
const EXIT = { serverGone: 3, rightsLeft: 4, wrongFrame: 5 };
const SITE_PACKAGES = '/lib/python3.14/site-packages';
const PERMISSIONS = ['read', 'write', 'net', 'env', 'run', 'ffi', 'sys', 'import'];
const MAX_ERROR_CHARACTERS = 16_000;

// What is needed later is taken now: the globals will be gone.
const { permissions } = Deno;
const readInput = Deno.stdin.readSync.bind(Deno.stdin);
const writeOutput = Deno.stdout.writeSync.bind(Deno.stdout);
const exit = Deno.exit.bind(Deno);
const [pyodideFolder, snapshotPath, network] = Deno.args;
const hasNetwork = network === 'network';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function readExactly(length) {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const count = readInput(bytes.subarray(filled));
    if (count === null) exit(EXIT.serverGone);
    filled += count;
  }
  return bytes;
}

const toView = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function readHeader() {
  const header = readExactly(5);
  return { length: toView(header).getUint32(0, true), type: header[4] };
}

/** The content is a buffer of its own, so that Python's file system can keep it without a copy. */
function readNamed(length) {
  const nameLength = toView(readExactly(2)).getUint16(0, true);
  const name = decoder.decode(readExactly(nameLength));
  return { name, content: readExactly(length - 2 - nameLength) };
}

function writeAll(bytes) {
  for (let written = 0; written < bytes.length;) written += writeOutput(bytes.subarray(written));
}

function writeFrame(type, ...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const frame = new Uint8Array(5 + length);
  toView(frame).setUint32(0, length, true);
  frame[4] = type;
  let at = 5;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  writeAll(frame);
}

function writeArtefact(name, content) {
  if (typeof name !== 'string' || !(content instanceof Uint8Array)) {
    throw new TypeError('The script broke the list of saved files.');
  }
  const nameBytes = encoder.encode(name);
  const nameLength = new Uint8Array(2);
  toView(nameLength).setUint16(0, nameBytes.length, true);
  writeFrame(FRAME.artefact, nameLength, nameBytes, content);
}

/** Python's `js` module: what Python itself needs to wait, and nothing that leads anywhere. */
function createPythonGlobals() {
  const { setTimeout, clearTimeout, Object } = globalThis;
  return Object.freeze(
    Object.assign(Object.create(null), {
      setTimeout: (run, delayMs) => setTimeout(run, delayMs),
      clearTimeout: (timer) => clearTimeout(timer),
      Object: Object.freeze({ fromEntries: (entries) => Object.fromEntries(entries) }),
      ...(hasNetwork ? listNetworkGlobals() : {}),
    }),
  );
}

async function startPython() {
  const { loadPyodide } = await import(`file://${pyodideFolder}/pyodide.mjs`);
  const nothing = () => undefined;
  const python = await loadPyodide({
    indexURL: pyodideFolder,
    _loadSnapshot: Deno.readFileSync(snapshotPath),
    jsglobals: createPythonGlobals(),
    stdin: () => null,
    stdout: nothing,
    stderr: nothing,
  });
  // In place of the module that holds Pyodide's own interface.
  const api = { __proto__: null, config: { __proto__: null, enableRunUntilComplete: true } };
  python.registerJsModule('pyodide_js', { __proto__: null, _api: api });
  return python;
}

/** Passes what is printed on as it comes, up to the limit. */
function connectOutput(python) {
  const state = { room: 0, isCut: false };
  const write = (bytes) => {
    const kept = bytes.subarray(0, state.room);
    if (kept.length > 0) writeFrame(FRAME.output, kept);
    if (kept.length < bytes.length) state.isCut = true;
    state.room -= kept.length;
    return bytes.length;
  };
  python.setStdout({ write });
  python.setStderr({ write });
  return state;
}

/** Nothing may be read, written, asked, started or loaded from here on. */
function giveUpRights() {
  for (const name of PERMISSIONS) {
    if (name === 'net' && hasNetwork) continue;
    // What was denied at the start cannot be revoked, and need not be.
    if (permissions.querySync({ name }).state === 'granted') permissions.revokeSync({ name });
    if (permissions.querySync({ name }).state === 'granted') exit(EXIT.rightsLeft);
  }
}

function receiveRun(python) {
  for (;;) {
    const { length, type } = readHeader();
    if (type === FRAME.run) return JSON.parse(decoder.decode(readExactly(length)));
    if (type === FRAME.package) {
      const { name, content } = readNamed(length);
      try {
        python.unpackArchive(content, 'zip', { extractDir: SITE_PACKAGES });
      } catch (error) {
        throw new Error(`The package file ${name} could not be unpacked.`, { cause: error });
      }
    } else if (type === FRAME.input) {
      const { name, content } = readNamed(length);
      const path = `/mnt/data/${name}`;
      python.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      python.FS.writeFile(path, content, { canOwn: true });
    } else exit(EXIT.wrongFrame);
  }
}

async function runOnce(python, harness, output) {
  const { code, outputBytes, fileBytes, totalBytes, count } = receiveRun(python);
  const artefacts = harness.Artefacts(fileBytes, totalBytes, count);
  output.isCut = false;
  output.room = outputBytes;
  const raised = (await harness.run_script.callPromising(code, artefacts)) ?? null;
  const { isCut } = output;
  output.room = 0;
  const saved = artefacts.list().toJs();
  for (const [name, content] of saved) writeArtefact(name, content);
  return {
    raised: raised === null ? null : String(raised),
    isOutputCut: isCut,
    files: saved.length,
  };
}

const python = await startPython();
const harness = python.pyimport('_harness');
python.runPython('import sys; del sys.modules["_harness"]; del sys');
harness.prepare();
const output = connectOutput(python);
await harness.warm_up.callPromising();
giveUpRights();
cutDown({ hasNetwork });
writeFrame(FRAME.ready);
let result;
try {
  result = await runOnce(python, harness, output);
} catch (error) {
  result = { broken: String(error).slice(0, MAX_ERROR_CHARACTERS) };
}
writeFrame(FRAME.result, encoder.encode(JSON.stringify(result)));
exit(0);
