import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../config.ts';
import { messageOf } from '../errors.ts';
import { createLog } from '../log.ts';
import { createPackageCache, readCacheOptions } from '../sandbox/packages.ts';
import { findSandboxPrograms } from '../sandbox/programs.ts';
import type { Finding } from './finding.ts';

const run = promisify(execFile);
const VERSION_TIMEOUT_MS = 20_000;

/** Whether code_interpreter can run Python, and what it would have to load first. */
export async function examinePython(config: Config): Promise<readonly Finding[]> {
  if (config.interpreterUnsandboxed) {
    const text =
      'TOOLS_CODE_INTERPRETER_UNSANDBOXED is set: Python of this machine runs with all rights of the server, and nothing else is looked at.';
    return [{ mark: 'problem', text }];
  }
  return [
    await examineDeno(config),
    await examineMonty(config),
    ...(await examinePackages(config)),
  ];
}

async function examineDeno(config: Config): Promise<Finding> {
  const { deno } = findSandboxPrograms(config);
  const outcome = await readVersion(deno);
  if ('version' in outcome) {
    return { mark: 'ok', text: `The Python sandbox has ${outcome.version} (${deno}).` };
  }
  const text = `Deno does not start, so only short scripts of the standard library run: ${outcome.problem} Install the packages again, or set DENO_PATH.`;
  return { mark: 'problem', text };
}

async function examineMonty(config: Config): Promise<Finding> {
  const { monty } = findSandboxPrograms(config);
  const slower = 'short scripts start more slowly, in Pyodide.';
  if (monty === null) {
    const text = `Monty is not installed for this kind of machine: ${slower} MONTY_PATH may name one.`;
    return { mark: 'note', text };
  }
  const outcome = await readVersion(monty);
  if ('version' in outcome) {
    return { mark: 'ok', text: `Short scripts have ${outcome.version} (${monty}).` };
  }
  return { mark: 'problem', text: `Monty does not start, so ${slower} ${outcome.problem}` };
}

async function readVersion(
  program: string,
): Promise<{ readonly version: string } | { readonly problem: string }> {
  try {
    const env = { DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1', PATH: process.env['PATH'] };
    const { stdout } = await run(program, ['--version'], { timeout: VERSION_TIMEOUT_MS, env });
    return { version: stdout.split('\n')[0]?.trim() ?? '' };
  } catch (error) {
    const reason = messageOf(error).split('\n')[0]?.replace(/\.$/, '') ?? '';
    return { problem: `${reason}.` };
  }
}

async function examinePackages(config: Config): Promise<readonly Finding[]> {
  const dataFolder = resolve(config.dataDir);
  const log = createLog({ level: 'error' });
  const status = await createPackageCache(readCacheOptions(config, { dataFolder, log })).status();
  const { present, missing, unknown, bytes } = status;
  const unknownFindings = unknown.map((name): Finding => {
    const text = `TOOLS_CODE_INTERPRETER_DEPS_ALLOWLIST allows ${name}, but there is no build of it for the Python sandbox.`;
    return { mark: 'problem', text };
  });
  const size = `${Math.ceil(bytes / 1e6)} MB`;
  if (missing.length === 0) {
    const text = `All ${present.length} Python packages are there (${size}).`;
    return [{ mark: 'ok', text }, ...unknownFindings];
  }
  const text = `${missing.length} of ${missing.length + present.length} Python packages are not loaded yet (${missing.join(', ')}). They are loaded when a script first needs them, or at once by setup-python.`;
  return [{ mark: 'note', text }, ...unknownFindings];
}
