import { randomUUID } from 'node:crypto';
import { CHAT, CHAT_EVENTS, CREATE_CHAT, SEND, type EventLine } from './documents.ts';
import type { Following, GraphQLClient } from './graphql-client.ts';

export interface ShownCall {
  readonly callId: string;
  readonly toolName: string;
  readonly status: string;
  readonly code: string | null;
  readonly message: string | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly argumentsText: string | null;
}

export interface ShownMessage {
  readonly id: string;
  readonly role: 'USER' | 'ASSISTANT';
  readonly text: string;
  readonly parts: readonly { type: string; text: string | null; callId: string | null }[];
  readonly toolCalls: readonly ShownCall[];
  readonly turn: {
    id: string;
    status: string;
    endReason: string | null;
    endMessage: string;
  } | null;
}

export interface ShownChat {
  readonly id: string;
  readonly title: string;
  readonly lastSequence: number;
  readonly activeGroups: readonly string[];
  readonly messages: readonly ShownMessage[];
  readonly files: readonly { id: string; label: string; downloadUrl: string }[];
  readonly openActivationRequests: readonly { id: string; group: string; status: string }[];
  readonly runningTurn: { readonly id: string } | null;
}

/** A chat as a client of the API has it. */
export interface TestChat {
  readonly id: string;
  readonly events: Following<EventLine>;
  /** Sends a message and answers with the turn. */
  send(
    text: string,
    input?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly userMessageId: string }>;
  /** Sends a message and waits for the end of its turn. */
  ask(text: string): Promise<EventLine>;
  /** Resolves with the end of the chat's last turn, or of the given one, counted from 1. */
  turnEnd(number?: number): Promise<EventLine>;
  read(): Promise<ShownChat>;
  close(): void;
}

export async function openChat(
  client: GraphQLClient,
  input: Readonly<Record<string, unknown>> = {},
): Promise<TestChat> {
  const { createChat } = await client.query<{ createChat: { id: string } }>(CREATE_CHAT, {
    input: { requestId: randomUUID(), ...input },
  });
  const chatId = createChat.id;
  const events = client.follow<EventLine>(CHAT_EVENTS, { chatId, after: 0 });
  let turns = 0;
  const turnEnd = (number = turns): Promise<EventLine> => {
    let seen = 0;
    return events.until(({ __typename }) => __typename === 'TurnEnd' && ++seen === number);
  };
  const send: TestChat['send'] = async (text, more = {}) => {
    const sent = await client.query<{ sendMessage: { id: string; userMessageId: string } }>(SEND, {
      input: { chatId, requestId: randomUUID(), text, ...more },
    });
    turns += 1;
    return sent.sendMessage;
  };
  return {
    ...{ id: chatId, events, send, turnEnd },
    async ask(text) {
      await send(text);
      return turnEnd();
    },
    read: async () => (await client.query<{ chat: ShownChat }>(CHAT, { id: chatId })).chat,
    close: () => events.close(),
  };
}
