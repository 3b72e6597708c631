import { ApiError } from '../api/api-error.ts';
import { request } from '../api/client.ts';
import { ChatById, ChatEvents } from '../api/documents.ts';
import type { ResultOf } from '../api/graphql.ts';
import { follow } from '../api/subscribe.ts';
import { AssistantMessage, type ChatFile, type UserMessage } from './message.svelte.ts';

export type ChatLine = ResultOf<typeof ChatEvents>['chatEvents'];
type Snapshot = NonNullable<ResultOf<typeof ChatById>['chat']>;

export interface ActivationQuestion {
  readonly id: string;
  readonly group: string;
  readonly reason: string;
  readonly toolNames: readonly string[];
  readonly turnId: string;
}

export type ShownMessage = UserMessage | AssistantMessage;

/**
 * One open chat: what it was when it was loaded, and what its events have told since. The same
 * events in the same order give the same chat, on every device.
 */
export class ChatSession {
  readonly id: string;
  state = $state<'loading' | 'ready' | 'gone' | 'failed'>('loading');
  error = $state.raw<unknown>(null);
  /** Nothing more arrives: the server refused to go on. */
  isCut = $state(false);
  title = $state('');
  modelId = $state('');
  activeGroups = $state.raw<readonly string[]>([]);
  files = $state.raw<readonly ChatFile[]>([]);
  questions = $state.raw<readonly ActivationQuestion[]>([]);
  runningTurnId = $state<string | null>(null);
  messages = $state.raw<ReadonlyMap<string, ShownMessage>>(new Map());
  activeLeafId = $state<string | null>(null);
  /** Said to screen readers: starts and ends, never the words between. */
  announcement = $state('');
  #sequence = 0;
  #stop: (() => void) | null = null;

  constructor(id: string) {
    this.id = id;
  }

  /** The shown branch, oldest first. */
  readonly branch = $derived.by(() => {
    const shown: ShownMessage[] = [];
    let id = this.activeLeafId;
    while (id !== null) {
      const message: ShownMessage | undefined = this.messages.get(id);
      if (message === undefined) break;
      shown.unshift(message);
      id = message.parentId;
    }
    return shown;
  });

  /** Messages that stand in the place of this one, oldest first. */
  siblingsOf(message: ShownMessage): readonly ShownMessage[] {
    return [...this.messages.values()]
      .filter(({ parentId, role }) => parentId === message.parentId && role === message.role)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async open(): Promise<void> {
    try {
      const { chat } = await request(ChatById, { id: this.id });
      if (chat === null) throw new ApiError('NOT_FOUND', 'This chat does not exist.');
      this.#load(chat);
      this.state = 'ready';
      this.#follow();
    } catch (error) {
      this.error = error;
      const isGone = error instanceof ApiError && error.code === 'NOT_FOUND';
      this.state = isGone ? 'gone' : 'failed';
    }
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
    for (const message of this.messages.values()) message.end();
  }

  #follow(): void {
    this.#stop = follow(
      {
        document: ChatEvents,
        variables: { chatId: this.id, afterSequence: this.#sequence },
        cursor: 'afterSequence',
      },
      {
        placeOf: ({ chatEvents: { __typename, sequence } }) =>
          __typename === 'LogReset' ? null : sequence,
        onData: ({ chatEvents }) => this.apply(chatEvents),
        onError: (error) => {
          this.error = error;
          this.isCut = true;
        },
      },
    );
  }

  /** Loads the chat anew and follows it from there. */
  async reopen(): Promise<void> {
    this.close();
    this.error = null;
    this.isCut = false;
    await this.open();
  }

  #load(chat: Snapshot): void {
    this.#sequence = chat.lastSequence;
    this.title = chat.title;
    this.modelId = chat.modelId;
    this.activeGroups = chat.activeGroups;
    this.files = chat.files;
    this.questions = chat.openActivationRequests;
    this.runningTurnId = chat.runningTurn?.id ?? null;
    this.activeLeafId = chat.activeLeafId;
    const running = chat.runningTurn?.assistantMessageId ?? null;
    this.messages = new Map(
      chat.messages.map((message) => [
        message.id,
        message.role === 'USER'
          ? toUserMessage({ ...message, parentId: message.parentId ?? null })
          : AssistantMessage.load(message, message.id === running),
      ]),
    );
  }

  /** Takes one event into account. */
  apply(line: ChatLine): void {
    this.#sequence = line.sequence;
    switch (line.__typename) {
      case 'MessageStart':
        return this.#add(
          toUserMessage({
            id: line.messageId,
            parentId: line.parentId,
            text: line.text,
            createdAt: line.createdAt,
            files: line.files ?? [],
          }),
        );
      case 'TurnStart':
        return this.#startTurn(line);
      case 'TextDelta':
      case 'ReasoningDelta': {
        const kind = line.__typename === 'TextDelta' ? 'text' : 'reasoning';
        return this.#answer(line.messageId)?.append(kind, line.stepIndex, line.text);
      }
      case 'ToolCallStart':
        return this.#running()?.startCall(line);
      case 'ToolCallProgress':
        return this.#withCall(line.callId)?.progressCall(line);
      case 'ToolCallEnd':
        return this.#withCall(line.callId)?.endCall(line);
      case 'ActivationRequested': {
        const { requestId: id, group, reason, toolNames, turnId } = line;
        const question = { id, group, reason, toolNames, turnId: turnId ?? '' };
        this.questions = [...this.questions.filter((other) => other.id !== id), question];
        this.announcement = group;
        return this.#withCall(line.callId)?.waitWithCall(line.callId);
      }
      case 'ActivationResponse':
        this.questions = this.questions.filter(({ id }) => id !== line.requestId);
        return;
      case 'MessageEnd':
        return this.#answer(line.messageId)?.settle(line.parts);
      case 'TurnEnd':
        return this.#endTurn(line);
      case 'ChatUpdate':
        return this.#update(line);
      case 'ChatDelete':
        this.state = 'gone';
        return;
      case 'LogReset':
        void this.reopen();
        return;
      case 'StepStart':
      case 'StepEnd':
      case 'TurnWait':
      case 'TurnResume':
        return;
    }
  }

  #add(message: ShownMessage): void {
    this.messages = new Map([...this.messages, [message.id, message]]);
    this.activeLeafId = message.id;
  }

  #startTurn(line: Extract<ChatLine, { __typename: 'TurnStart' }>): void {
    const turnId = line.turnId ?? '';
    this.runningTurnId = turnId;
    this.#add(
      AssistantMessage.start({
        id: line.assistantMessageId,
        parentId: line.userMessageId,
        turnId,
        modelId: line.modelId ?? this.modelId,
        createdAt: line.createdAt,
      }),
    );
  }

  #endTurn(line: Extract<ChatLine, { __typename: 'TurnEnd' }>): void {
    if (this.runningTurnId === line.turnId) this.runningTurnId = null;
    this.questions = this.questions.filter(({ turnId }) => turnId !== line.turnId);
    this.#answer(line.messageId)?.endTurn(line);
    this.announcement = line.endReason;
  }

  #update(line: Extract<ChatLine, { __typename: 'ChatUpdate' }>): void {
    if (line.title !== null) this.title = line.title;
    if (line.modelId !== null) this.modelId = line.modelId;
    if (line.activeGroups !== null) this.activeGroups = line.activeGroups;
    if (line.activeLeafId !== null) this.activeLeafId = line.activeLeafId;
    if (line.files !== null) this.files = line.files;
  }

  #answer(id: string): AssistantMessage | null {
    const message = this.messages.get(id);
    return message instanceof AssistantMessage ? message : null;
  }

  #running(): AssistantMessage | null {
    for (const message of this.messages.values()) {
      if (message instanceof AssistantMessage && message.turnId === this.runningTurnId) {
        return message;
      }
    }
    return null;
  }

  #withCall(callId: string): AssistantMessage | null {
    for (const message of this.messages.values()) {
      if (message instanceof AssistantMessage && message.hasCall(callId)) return message;
    }
    return null;
  }
}

const toUserMessage = (message: Omit<UserMessage, 'role' | 'end'>): UserMessage => ({
  ...message,
  role: 'USER',
  end: () => undefined,
});
