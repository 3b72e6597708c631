// Starts Pyodide once, imports what scripts use most, and writes an image of its memory to standard output.
// Arguments: Pyodide's folder, the harness.
const [pyodideFolder, harnessPath] = Deno.args;
const { loadPyodide } = await import(`file://${pyodideFolder}/pyodide.mjs`);
const nothing = () => undefined;
const pyodide = await loadPyodide({
  indexURL: pyodideFolder,
  _makeSnapshot: true,
  env: { HOME: '/home/pyodide', LANG: 'C.UTF-8', MPLBACKEND: 'Agg' },
  stdout: nothing,
  stderr: nothing,
});
pyodide.runPython(
  `def build(source):
    import sys, types
    harness = sys.modules["_harness"] = types.ModuleType("_harness")
    exec(compile(source, "<harness>", "exec"), harness.__dict__)
    harness.preload()
`,
);
pyodide.globals.get('build')(Deno.readTextFileSync(harnessPath));
pyodide.runPython('del build');
const image = pyodide.makeMemorySnapshot();
for (let written = 0; written < image.length;) {
  written += Deno.stdout.writeSync(image.subarray(written));
}
