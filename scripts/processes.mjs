// Child processes of the launchers: always the Node that the lockfile pins, never one from PATH.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PARENT_CHECK_MS = 250;

/** The folder of the whole project, whatever the working directory is. */
export const projectFolder = fileURLToPath(new URL('..', import.meta.url));

/** The child that owns the terminal now, if one does. */
let foreground = null;

/** @param {{ kill(signal: string): void }} children - who gets the signals from now on. */
export function giveForeground(children) {
  foreground = children;
}

/** A command that did not end well; its message holds the command and everything it printed. */
export class CommandFailed extends Error {
  name = 'CommandFailed';
}

/**
 * The Node that everything but the launchers runs on.
 *
 * @returns {string} absolute path.
 * @throws Error if the package is not installed for this platform.
 */
export function pinnedNode() {
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const packageFolder = join(projectFolder, 'node_modules', 'node');
  const places = [
    join(packageFolder, 'bin', executable),
    // Where install scripts are switched off, only the package of the platform is there.
    join(packageFolder, 'node_modules', `node-${platform}-${process.arch}`, 'bin', executable),
    join(projectFolder, 'node_modules', `node-${platform}-${process.arch}`, 'bin', executable),
  ];
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new Error(
    `The Node that the lockfile pins has no build for ${process.platform}-${process.arch} in ` +
      'node_modules. Remove node_modules and start again; optional packages must not be left out.',
  );
}

/** Where Node keeps compiled modules: what has been loaded once loads in a fraction of the time. */
const compileCache = join(projectFolder, '.cache', 'compiled');

/** Environment in which children of children find the pinned Node and the tools first, too. */
export function childEnvironment(extra = {}) {
  const environment = { NODE_COMPILE_CACHE: compileCache, ...process.env, ...extra };
  // Windows spells it Path, and a second spelling beside it would win or lose by chance.
  const name = Object.keys(environment).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  const first = join(projectFolder, 'node_modules', '.bin');
  environment[name] = [first, environment[name]].filter(Boolean).join(delimiter);
  return environment;
}

/**
 * Runs a command to its end and keeps what it prints to itself.
 *
 * @param {readonly string[]} command - program and arguments.
 * @param {{ env?: Record<string, string>, shell?: boolean }} [options]
 * @returns {Promise<string>} everything that it printed.
 * @throws CommandFailed with the output if it ends with another code than 0.
 */
export function runQuietly(command, options = {}) {
  const [program, ...parameters] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      cwd: projectFolder,
      env: childEnvironment(options.env),
      shell: options.shell ?? false,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const killChild = () => child.kill();
    process.once('exit', killChild);
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('exit', killChild);
      const output = Buffer.concat(chunks).toString('utf8');
      if (code === 0) return resolve(output);
      const line = command.map((part) => (part.includes(' ') ? JSON.stringify(part) : part));
      const ending = signal ? `was ended by ${signal}` : `ended with code ${code}`;
      reject(
        new CommandFailed(`${output.trimEnd()}\n\nThis command ${ending}:\n  ${line.join(' ')}`),
      );
    });
  });
}

/** @param {readonly string[]} parameters - a script and its arguments, run by the pinned Node. */
export function runNodeQuietly(parameters, options = {}) {
  return runQuietly([pinnedNode(), ...parameters], options);
}

/**
 * Runs a script under the pinned Node in the foreground: it owns the terminal, gets the signals
 * meant for the launcher, and is told by the closing of its message channel if the launcher dies.
 *
 * @param {readonly string[]} parameters - a script and its arguments.
 * @param {{ env?: Record<string, string> }} [options]
 * @returns {Promise<number>} its exit code, or 128 and the number of the signal that ended it.
 */
export function runNodeInForeground(parameters, options = {}) {
  const child = spawn(pinnedNode(), parameters, {
    cwd: projectFolder,
    env: childEnvironment(options.env),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  foreground = child;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      foreground = null;
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/**
 * Ends the process with the code that `main` answers; a failed command shows its output and no
 * stack, because the stack would be the launcher's. A signal goes to the child in the foreground;
 * without one it ends the process and whatever it runs quietly.
 *
 * @param {() => Promise<number | void>} main
 */
export async function runMain(main) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => pass(signal));
  // The launcher of this launcher is gone when its channel closes.
  process.once('disconnect', () => pass('SIGTERM'));
  process.channel?.unref();
  endWithNpm();
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    const text = error instanceof CommandFailed ? error.message : (error?.stack ?? String(error));
    process.stderr.write(`\n${text}\n`);
    process.exitCode = 1;
  }
}

/**
 * npm passes a signal to the shell that it runs scripts in, and that shell dies of it without
 * telling anyone. What is left to notice is that this process has another parent.
 */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    pass('SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

function pass(signal) {
  if (!foreground) process.exit(128 + constants.signals[signal]);
  // A terminal sends Ctrl-C to the whole group: passing it on would deliver it twice.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) foreground.kill(signal);
}
