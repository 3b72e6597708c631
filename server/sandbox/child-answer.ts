import { createFrameReader, decodeNamed, FRAME, ProtocolError } from './frames.ts';
import { ARTEFACT_LIMITS, OUTPUT_LIMIT_BYTES, type SandboxArtefact } from './sandbox.ts';

/** How a process says that its script ended. */
export interface ChildResult {
  /** Python's traceback; null when the script came to its end. */
  readonly raised: string | null;
  /** Why Python itself broke down; null when it did not. */
  readonly broken: string | null;
  readonly isOutputCut: boolean;
  readonly artefacts: readonly SandboxArtefact[];
}

export interface ChildAnswerObserver {
  onReady(): void;
  onOutput(bytes: Buffer): void;
  onResult(result: ChildResult): void;
}

export interface ChildAnswer {
  /**
   * @throws ProtocolError if the process says anything that it may not say now.
   */
  receive(chunk: Buffer): void;
  /** From here on a script runs. */
  expectRun(): void;
}

const MAX_NAME_BYTES = 200;
const MAX_RESULT_BYTES = 131_072;
const MAX_RAISED_CHARACTERS = 16_000;
const MAX_BROKEN_CHARACTERS = 500;
const MAX_BYTES = new Map<number, number>([
  [FRAME.ready, 0],
  [FRAME.output, OUTPUT_LIMIT_BYTES],
  [FRAME.artefact, ARTEFACT_LIMITS.fileBytes + MAX_NAME_BYTES + 2],
  [FRAME.result, MAX_RESULT_BYTES],
]);

/** What a process may say, and when: ready; then, once a script runs, output, files, and the result as the last. */
const FOLLOWING: Readonly<Record<number, readonly number[]>> = {
  [FRAME.run]: [FRAME.output, FRAME.artefact, FRAME.result],
  [FRAME.output]: [FRAME.output, FRAME.artefact, FRAME.result],
  [FRAME.artefact]: [FRAME.artefact, FRAME.result],
};

/** Judges every frame of a process that is taken for hostile. */
export function createChildAnswer(observer: ChildAnswerObserver): ChildAnswer {
  let allowed: readonly number[] = [FRAME.ready];
  let outputBytes = 0;
  let pieces: Buffer[] = [];
  let artefactBytes = 0;
  const artefacts: SandboxArtefact[] = [];
  let result: ChildResult | null = null;

  function takeOutput(payload: Buffer): void {
    outputBytes += payload.length;
    if (payload.length === 0) throw new ProtocolError('It sent output without a byte.');
    if (outputBytes > OUTPUT_LIMIT_BYTES) {
      throw new ProtocolError(`It sent more output than ${OUTPUT_LIMIT_BYTES} bytes.`);
    }
    pieces.push(payload);
  }

  function takeArtefact(payload: Buffer): void {
    const { name, content } = decodeNamed(payload);
    artefactBytes += content.length;
    if (!isPlainName(name)) {
      throw new ProtocolError(`It sent a file called ${JSON.stringify(name)}, which is no name.`);
    }
    if (artefacts.some((other) => other.name === name)) {
      throw new ProtocolError(`It sent two files called ${JSON.stringify(name)}.`);
    }
    const { count, fileBytes, totalBytes } = ARTEFACT_LIMITS;
    if (artefacts.length >= count || content.length > fileBytes || artefactBytes > totalBytes) {
      throw new ProtocolError('It sent more or larger files than a script may give out.');
    }
    artefacts.push({ name, content });
  }

  const reader = createFrameReader({
    maxBytes: MAX_BYTES,
    onFrame(type, payload) {
      if (!allowed.includes(type)) {
        throw new ProtocolError(`It sent a frame of type ${type} when it may not.`);
      }
      allowed = FOLLOWING[type] ?? [];
      if (type === FRAME.ready) observer.onReady();
      else if (type === FRAME.output) takeOutput(payload);
      else if (type === FRAME.artefact) takeArtefact(payload);
      else result = { ...parseResult(payload, artefacts.length), artefacts };
    },
  });

  return {
    receive(chunk) {
      reader(chunk);
      // Python writes in small pieces: one call for all that came together.
      if (pieces.length > 0) observer.onOutput(Buffer.concat(pieces));
      pieces = [];
      // Only now: nothing else may come with it.
      if (result !== null) observer.onResult(result);
    },
    expectRun() {
      allowed = FOLLOWING[FRAME.run] ?? [];
    },
  };
}

function isPlainName(name: string): boolean {
  if (name === '.' || name === '..' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  return /^[^/\\\p{Cc}]+$/u.test(name);
}

function parseResult(payload: Buffer, artefactCount: number): Omit<ChildResult, 'artefacts'> {
  const said = parseJson(payload);
  if (typeof said !== 'object' || said === null) throw new ProtocolError(NO_RESULT);
  if ('broken' in said && typeof said.broken === 'string') {
    const broken = said.broken.slice(0, MAX_BROKEN_CHARACTERS);
    return { raised: null, broken, isOutputCut: false };
  }
  const { raised, isOutputCut, files } = said as Readonly<Record<string, unknown>>;
  const isText = raised === null || typeof raised === 'string';
  if (!isText || typeof isOutputCut !== 'boolean') throw new ProtocolError(NO_RESULT);
  if (files !== artefactCount) {
    throw new ProtocolError('It sent another number of files than its result tells.');
  }
  return { raised: raised?.slice(0, MAX_RAISED_CHARACTERS) ?? null, broken: null, isOutputCut };
}

const NO_RESULT = 'It sent a result that is none.';

function parseJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch (error) {
    throw new ProtocolError(NO_RESULT, { cause: error });
  }
}
