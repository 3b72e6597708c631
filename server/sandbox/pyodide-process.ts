import type { Clock } from '../clock.ts';
import { createChildAnswer, type ChildResult } from './child-answer.ts';
import { startChild, type ChildEnd, type SandboxChild } from './child-process.ts';
import { encodeFrame, FRAME, ProtocolError } from './frames.ts';
import { createOutputCollector } from './output-collector.ts';
import type { PooledProcess } from './process-pool.ts';
import { createPyodideCommand, DENO_ENVIRONMENT, type PyodideCommand } from './pyodide-command.ts';
import {
  ARTEFACT_LIMITS,
  OUTPUT_LIMIT_BYTES,
  type SandboxEnd,
  type SandboxObserver,
  type SandboxOutcome,
  type SandboxRun,
  type SandboxStatus,
} from './sandbox.ts';

export type KillReason = keyof SandboxStatus['killed'];

export interface PyodideProcessOptions extends PyodideCommand {
  readonly clock: Clock;
  /** Told once, if it does not end by itself. */
  onKill(reason: KillReason): void;
}

/** Python that runs one script and is then gone. */
export interface PyodideProcess extends PooledProcess {
  /** Only once, after `whenReady`. */
  run(run: SandboxRun, observer: SandboxObserver): Promise<SandboxOutcome>;
}

/** A start takes half a second, and some seconds on a machine that is busy. */
const START_MS = 60_000;

type Settle = (end: SandboxEnd, result?: ChildResult) => void;

export function startPyodideProcess(options: PyodideProcessOptions): PyodideProcess {
  const { clock, onKill } = options;
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);
  const gone = new AbortController();
  const output = createOutputCollector();
  let settle: Settle | null = null;
  let onOutput: SandboxObserver['onOutput'] = () => undefined;
  let isKilled = false;

  /** Ends the process and whatever waits for it; the first reason counts. */
  function stop(end: SandboxEnd, reason: KillReason | null, result?: ChildResult): void {
    if (isKilled) return;
    isKilled = true;
    if (reason !== null) onKill(reason);
    child.kill();
    gone.abort();
    clearStart();
    ready.reject(new Error('error' in end ? end.error : 'The Python sandbox was ended.'));
    settle?.(end, result);
  }

  const answer = createChildAnswer({
    onReady() {
      clearStart();
      ready.resolve();
    },
    onOutput(bytes) {
      const text = output.add(bytes);
      if (text !== '') onOutput(text);
    },
    onResult: (result) => stop(describeResult(result), null, result),
  });

  const child: SandboxChild = startChild(createPyodideCommand(options), DENO_ENVIRONMENT, {
    onData(chunk) {
      if (isKilled) return;
      try {
        answer.receive(chunk);
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        stop(killed(`The Python process broke its protocol: ${error.message}`), 'PROTOCOL');
      }
    },
    onEnd(end) {
      stop(describeEnd(end), null);
      ended.resolve();
    },
  });
  const seconds = START_MS / 1_000;
  const clearStart = clock.after(START_MS, () =>
    stop(killed(`The Python sandbox was not ready after ${seconds} s.`), 'TIMEOUT'),
  );

  async function send({ inputs, packages, code }: SandboxRun): Promise<void> {
    for (const { fileName, path } of packages) {
      await child.writeFile(FRAME.package, { name: fileName, path }, gone.signal);
    }
    for (const input of inputs) await child.writeFile(FRAME.input, input, gone.signal);
    const limits = { outputBytes: OUTPUT_LIMIT_BYTES, ...ARTEFACT_LIMITS };
    child.write(encodeFrame(FRAME.run, Buffer.from(JSON.stringify({ code, ...limits }))));
  }

  return {
    whenReady: ready.promise,
    whenEnded: ended.promise,
    readRssBytes: () => child.readRssBytes(),
    kill: (reason) => stop(KILLED_BY_POOL[reason], reason),
    run(run, observer) {
      const startedAt = clock.now();
      const { promise, resolve } = Promise.withResolvers<SandboxOutcome>();
      const cancel = (): void =>
        stop({ status: 'CANCELLED', error: 'The run was cancelled.' }, 'CANCELLED');
      const limit = run.timeoutMs / 1_000;
      const clearTimeout = clock.after(run.timeoutMs, () =>
        stop(
          { status: 'TIMEOUT', error: `The code took over ${limit} s and was ended.` },
          'TIMEOUT',
        ),
      );
      settle = (end, result) => {
        clearTimeout();
        observer.signal.removeEventListener('abort', cancel);
        const isOutputCut = output.isCut || result?.isOutputCut === true;
        const said = { output: output.text, isOutputCut, artefacts: result?.artefacts ?? [] };
        resolve({ ...end, ...said, durationMs: clock.now() - startedAt });
      };
      onOutput = (text) => observer.onOutput(text);
      answer.expectRun();
      observer.signal.addEventListener('abort', cancel, { once: true });
      if (observer.signal.aborted) cancel();
      else if (isKilled) settle(killed('The Python process ended before the code began.'));
      else send(run).catch((error: Error) => stop(killed(describeUnsent(error)), null));
      return promise;
    },
  };
}

const killed = (error: string): SandboxEnd => ({ status: 'KILLED', error });

const KILLED_BY_POOL: Readonly<Record<'MEMORY' | 'IDLE' | 'CANCELLED', SandboxEnd>> = {
  MEMORY: { status: 'MEMORY', error: 'The code needed more memory than there is for Python here.' },
  IDLE: { status: 'CANCELLED', error: 'The Python process was not needed any more.' },
  CANCELLED: { status: 'CANCELLED', error: 'The sandbox is being closed.' },
};

function describeResult({ raised, broken }: ChildResult): SandboxEnd {
  if (broken !== null) return killed(`Python broke down while it ran the code: ${broken}`);
  return raised === null ? { status: 'FINISHED' } : { status: 'RAISED', error: raised };
}

function describeEnd({ code, signal, stderr }: ChildEnd): SandboxEnd {
  if (/out of memory/i.test(stderr)) return KILLED_BY_POOL.MEMORY;
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const said = stderr === '' ? '' : ` It said: ${stderr}`;
  return killed(`The Python process ended ${how} before the code was done.${said}`);
}

const describeUnsent = ({ message }: Error): string =>
  `The code was not given its files: ${message}`;
