import type { CallFields, ChatEvents } from '../api/documents.ts';
import type { ResultOf } from '../api/graphql.ts';
import type { ChatFile } from './message.svelte.ts';

type Line = ResultOf<typeof ChatEvents>['chatEvents'];
type Of<Name extends Line['__typename']> = Extract<Line, { __typename: Name }>;
type Loaded = ResultOf<typeof CallFields>;

export type CallState = 'QUEUED' | 'STOPPING' | Loaded['status'];

/** One tool call as its card shows it. */
export class ShownCall {
  readonly callId: string;
  readonly toolName: string;
  readonly argumentsText: string;
  state = $state<CallState>('RUNNING');
  code = $state<string | null>(null);
  message = $state<string | null>(null);
  progressText = $state<string | null>(null);
  fraction = $state<number | null>(null);
  result = $state.raw<unknown>(null);
  elapsedMs = $state<number | null>(null);
  outputCharacters = $state<number | null>(null);
  files = $state.raw<readonly ChatFile[]>([]);
  /** When this page heard of it; a clock runs from here. */
  readonly seenAt = Date.now();

  private constructor(callId: string, toolName: string, argumentsText: string) {
    this.callId = callId;
    this.toolName = toolName;
    this.argumentsText = argumentsText;
  }

  static start({ callId, toolName, argumentsText }: Of<'ToolCallStart'>): ShownCall {
    return new ShownCall(callId, toolName, argumentsText ?? '');
  }

  static load(loaded: Loaded): ShownCall {
    const call = new ShownCall(loaded.callId, loaded.toolName, loaded.argumentsText ?? '');
    call.state = loaded.status;
    if (loaded.progress !== null) call.progress(loaded.progress);
    call.#take(loaded);
    return call;
  }

  get isOpen(): boolean {
    return ['QUEUED', 'RUNNING', 'STOPPING', 'WAITING'].includes(this.state);
  }

  progress({
    state,
    message,
    fraction,
  }: Pick<Of<'ToolCallProgress'>, 'state' | 'message' | 'fraction'>): void {
    if (!this.isOpen) return;
    this.state = state;
    if (message !== null) this.progressText = message;
    if (fraction !== null) this.fraction = fraction;
  }

  /** A person is asked. */
  wait(): void {
    if (this.isOpen) this.state = 'WAITING';
  }

  finish(line: Of<'ToolCallEnd'>): void {
    this.state = line.status;
    this.#take(line);
  }

  #take(end: {
    readonly code: string | null;
    readonly message: string | null;
    readonly result: unknown;
    readonly elapsedMs: number | null;
    readonly outputCharacters: number | null;
    readonly files: readonly ChatFile[] | null;
  }): void {
    this.code = end.code;
    this.message = end.message;
    this.result = end.result;
    this.elapsedMs = end.elapsedMs;
    this.outputCharacters = end.outputCharacters;
    this.files = end.files ?? [];
  }
}
