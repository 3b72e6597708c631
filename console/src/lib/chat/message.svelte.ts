import type { ChatById, ChatEvents } from '../api/documents.ts';
import type { ResultOf } from '../api/graphql.ts';
import { MarkdownStream } from '../markdown/markdown-stream.svelte.ts';
import { ShownCall } from './shown-call.svelte.ts';

type Loaded = NonNullable<ResultOf<typeof ChatById>['chat']>['messages'][number];
type Line = ResultOf<typeof ChatEvents>['chatEvents'];
type Of<Name extends Line['__typename']> = Extract<Line, { __typename: Name }>;
type LoadedPart = Of<'MessageEnd'>['parts'][number];

export interface ChatFile {
  readonly id: string;
  readonly label: string;
  readonly downloadUrl: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly origin: 'UPLOADED' | 'GENERATED';
}

export interface UserMessage {
  readonly role: 'USER';
  readonly id: string;
  readonly parentId: string | null;
  readonly text: string;
  readonly createdAt: string;
  readonly files: readonly ChatFile[];
  end(): void;
}

export type ShownPart =
  | {
      readonly kind: 'text';
      readonly key: string;
      readonly stepIndex: number;
      readonly stream: MarkdownStream;
    }
  | {
      readonly kind: 'reasoning';
      readonly key: string;
      readonly stepIndex: number;
      readonly stream: MarkdownStream;
    }
  | {
      readonly kind: 'call';
      readonly key: string;
      readonly stepIndex: number;
      readonly call: ShownCall;
    };

/** What is known of an answer when it begins. */
export interface AnswerHead {
  readonly id: string;
  readonly parentId: string | null;
  readonly turnId: string;
  readonly modelId: string;
  readonly createdAt: string;
}

/** An answer: text, thoughts and calls in the order in which they came. */
export class AssistantMessage {
  readonly role = 'ASSISTANT';
  readonly id: string;
  readonly parentId: string | null;
  readonly turnId: string;
  readonly modelId: string;
  readonly createdAt: string;
  parts = $state.raw<readonly ShownPart[]>([]);
  isRunning = $state(false);
  endReason = $state<string | null>(null);
  endMessage = $state('');
  usage = $state.raw<{
    readonly inputTokens: number | null;
    readonly outputTokens: number | null;
  } | null>(null);

  private constructor(head: AnswerHead) {
    this.id = head.id;
    this.parentId = head.parentId;
    this.turnId = head.turnId;
    this.modelId = head.modelId;
    this.createdAt = head.createdAt;
  }

  static start(head: AnswerHead): AssistantMessage {
    const message = new AssistantMessage(head);
    message.isRunning = true;
    return message;
  }

  static load(loaded: Loaded, isRunning: boolean): AssistantMessage {
    const message = new AssistantMessage({
      id: loaded.id,
      parentId: loaded.parentId,
      turnId: loaded.turn?.id ?? '',
      modelId: loaded.turn?.modelId ?? '',
      createdAt: loaded.createdAt,
    });
    message.isRunning = isRunning;
    message.endReason = loaded.turn?.endReason ?? null;
    message.endMessage = loaded.turn?.endMessage ?? '';
    message.usage = loaded.turn?.usage ?? null;
    const calls = new Map(loaded.toolCalls.map((call) => [call.callId, ShownCall.load(call)]));
    message.#setParts(loaded.parts, calls, isRunning);
    return message;
  }

  hasCall(callId: string): boolean {
    return this.#find(callId) !== null;
  }

  /** The whole answer as Markdown, for copying. */
  get text(): string {
    return this.parts
      .flatMap((part) => (part.kind === 'text' ? [part.stream.text] : []))
      .join('\n\n');
  }

  append(kind: 'text' | 'reasoning', stepIndex: number, text: string): void {
    const last = this.parts.at(-1);
    if (last?.kind === kind && last.stepIndex === stepIndex) return last.stream.append(text);
    if (last && last.kind !== 'call') last.stream.end();
    const stream = new MarkdownStream();
    const key = `${stepIndex}:${this.parts.length}`;
    this.parts = [...this.parts, { kind, key, stepIndex, stream }];
    stream.append(text);
  }

  startCall(line: Of<'ToolCallStart'>): void {
    if (this.hasCall(line.callId)) return;
    this.#endText();
    const { callId: key, stepIndex } = line;
    this.parts = [...this.parts, { kind: 'call', key, stepIndex, call: ShownCall.start(line) }];
  }

  progressCall(line: Of<'ToolCallProgress'>): void {
    this.#find(line.callId)?.progress(line);
  }

  waitWithCall(callId: string): void {
    this.#find(callId)?.wait();
  }

  endCall(line: Of<'ToolCallEnd'>): void {
    this.#find(line.callId)?.finish(line);
  }

  /** The answer as it is stored. */
  settle(parts: readonly LoadedPart[]): void {
    const calls = new Map(
      this.parts.flatMap((part) =>
        part.kind === 'call' ? [[part.call.callId, part.call] as const] : [],
      ),
    );
    this.end();
    const isSame =
      parts.length === this.parts.length &&
      parts.every((part, index) => {
        const shown = this.parts[index];
        return shown?.kind === 'call'
          ? shown.call.callId === part.callId
          : shown?.stream.text === part.text;
      });
    if (!isSame) this.#setParts(parts, calls, false);
  }

  endTurn(line: Of<'TurnEnd'>): void {
    this.isRunning = false;
    this.endReason = line.endReason;
    this.endMessage = line.endMessage;
    this.usage = line.usage;
  }

  end(): void {
    this.#endText();
  }

  #endText(): void {
    const last = this.parts.at(-1);
    if (last && last.kind !== 'call') last.stream.end();
  }

  #find(callId: string): ShownCall | null {
    for (const part of this.parts)
      if (part.kind === 'call' && part.call.callId === callId) return part.call;
    return null;
  }

  #setParts(
    parts: readonly LoadedPart[],
    calls: ReadonlyMap<string, ShownCall>,
    isRunning: boolean,
  ): void {
    this.parts = parts.flatMap((part, index): ShownPart[] => {
      const { stepIndex } = part;
      const key = part.callId ?? `${stepIndex}:${index}`;
      if (part.type === 'TOOL_CALL') {
        const call = calls.get(part.callId ?? '');
        return call === undefined ? [] : [{ kind: 'call', key, stepIndex, call }];
      }
      const kind = part.type === 'TEXT' ? 'text' : 'reasoning';
      const isLast = isRunning && index === parts.length - 1;
      return [{ kind, key, stepIndex, stream: toStream(part.text ?? '', isLast) }];
    });
  }
}

/** Of an answer that runs, the last part may go on. */
function toStream(text: string, isOpen: boolean): MarkdownStream {
  if (!isOpen) return MarkdownStream.of(text);
  const stream = new MarkdownStream();
  stream.append(text);
  return stream;
}
