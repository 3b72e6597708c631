import { afterEach, expect, test } from 'vitest';
import { ChatSession, type ChatLine } from '#lib/chat/chat-session.svelte.ts';
import { AssistantMessage } from '#lib/chat/message.svelte.ts';

type Of<Name extends ChatLine['__typename']> = Extract<ChatLine, { __typename: Name }>;

let session: ChatSession;
let sequence = 0;

afterEach(() => session.close());

/** An event with the fields that a rule is about; others have values that nothing depends on. */
function line<Name extends ChatLine['__typename']>(
  __typename: Name,
  fields: Partial<Of<Name>> = {},
): ChatLine {
  sequence += 1;
  const common = { sequence, previousSequence: sequence - 1, createdAt: '2026-11-30T12:00:00Z' };
  return { __typename, ...common, ...fields } as unknown as ChatLine;
}

const question = (messageId = 'u1', parentId: string | null = null) =>
  line('MessageStart', { messageId, parentId, text: 'Why?', files: [] });
const turn = (id = 't1', user = 'u1', assistant = 'a1') =>
  line('TurnStart', {
    turnId: id,
    userMessageId: user,
    assistantMessageId: assistant,
    modelId: 'm',
  });
const text = (part: string, stepIndex = 0) =>
  line('TextDelta', { messageId: 'a1', stepIndex, text: part });
const callStart = (callId = 'c1') =>
  line('ToolCallStart', { turnId: 't1', stepIndex: 0, callId, toolName: 'echo' });
const callEnd = (callId = 'c1') =>
  line('ToolCallEnd', { callId, status: 'SUCCESS', result: { data: 1 }, elapsedMs: 40 });
const turnEnd = (endReason: Of<'TurnEnd'>['endReason'] = 'COMPLETED') =>
  line('TurnEnd', { turnId: 't1', messageId: 'a1', endReason, endMessage: '' });

/** A session that has taken these events into account. */
function fold(...lines: readonly ChatLine[]): ChatSession {
  session = new ChatSession('chat');
  for (const one of lines) session.apply(one);
  return session;
}

function answer(): AssistantMessage {
  const message = session.messages.get('a1');
  if (!(message instanceof AssistantMessage)) throw new Error('There is no answer.');
  return message;
}

/** The parts of the answer in a line each. */
const shownParts = (): readonly string[] =>
  answer().parts.map((part) =>
    part.kind === 'call'
      ? `call ${part.call.callId} ${part.call.state}`
      : `${part.kind} ${part.stream.text}`,
  );

test('deltas, thoughts and calls show in the order in which they came', () => {
  fold(
    ...[question(), turn()],
    line('ReasoningDelta', { messageId: 'a1', stepIndex: 0, text: 'Hm.' }),
    ...[text('Let me '), text('look.'), callStart(), callEnd(), text('Found.', 1)],
  );

  expect(shownParts()).toEqual([
    'reasoning Hm.',
    'text Let me look.',
    'call c1 SUCCESS',
    'text Found.',
  ]);
  expect(answer().isRunning).toBe(true);
  expect(session.runningTurnId).toBe('t1');
});

test('the text of message-end replaces what the deltas built, and keeps the cards', () => {
  fold(question(), turn(), text('Hal'), callStart(), callEnd());
  const card = answer().parts[1];
  const part = (type: 'TEXT' | 'TOOL_CALL', fields: object) => ({
    ...{ type, text: null, callId: null, stepIndex: 0 },
    ...fields,
  });
  session.apply(
    line('MessageEnd', {
      messageId: 'a1',
      parts: [part('TEXT', { text: 'Hallo.' }), part('TOOL_CALL', { callId: 'c1' })],
    }),
  );
  session.apply(turnEnd());

  expect(shownParts()).toEqual(['text Hallo.', 'call c1 SUCCESS']);
  const [, after] = answer().parts;
  expect(after?.kind === 'call' && card?.kind === 'call' && after.call === card.call).toBe(true);
});

test('the end of a turn frees the chat, tells its reason and takes its questions along', () => {
  fold(
    ...[question(), turn(), text('On.')],
    line('ActivationRequested', { requestId: 'r1', turnId: 't1', group: 'Grocery', toolNames: [] }),
  );
  expect(session.questions.map(({ group }) => group)).toEqual(['Grocery']);
  session.apply(turnEnd('CANCELLED'));

  expect(session.runningTurnId).toBeNull();
  expect(session.questions).toEqual([]);
  expect(answer().endReason).toBe('CANCELLED');
  expect(answer().isRunning).toBe(false);
});

test('an answered question goes on every device', () => {
  fold(
    ...[question(), turn()],
    line('ActivationRequested', { requestId: 'r1', turnId: 't1', group: 'A', toolNames: [] }),
    line('ActivationRequested', { requestId: 'r2', turnId: 't1', group: 'B', toolNames: [] }),
    line('ActivationResponse', { requestId: 'r1', answer: 'DECLINED' }),
  );

  expect(session.questions.map(({ id }) => id)).toEqual(['r2']);
});

test('progress that comes after the end of a call changes nothing', () => {
  fold(question(), turn(), callStart());
  const progress = () =>
    line('ToolCallProgress', { callId: 'c1', state: 'RUNNING', message: 'Half', fraction: 0.5 });
  session.apply(progress());
  const [part] = answer().parts;
  if (part?.kind !== 'call') throw new Error('There is no card.');
  expect([part.call.progressText, part.call.fraction]).toEqual(['Half', 0.5]);
  session.apply(callEnd());
  session.apply(progress());

  expect(part.call.state).toBe('SUCCESS');
  expect(part.call.isOpen).toBe(false);
});

test('a second answer stands beside the first, and the shown branch follows the chat', () => {
  fold(question(), turn(), text('One.'), turnEnd(), turn('t2', 'u1', 'a2'));
  const first = session.messages.get('a1')!;
  expect(session.siblingsOf(first).map(({ id }) => id)).toEqual(['a1', 'a2']);
  expect(session.branch.map(({ id }) => id)).toEqual(['u1', 'a2']);
  session.apply(
    line('ChatUpdate', {
      ...{ title: null, modelId: null, activeGroups: null, files: null },
      activeLeafId: 'a1',
    }),
  );

  expect(session.branch.map(({ id }) => id)).toEqual(['u1', 'a1']);
});

test('title, model, groups and the end of the chat arrive from other devices', () => {
  fold(
    line('ChatUpdate', {
      ...{ title: 'Tides', modelId: 'm2', activeLeafId: null, files: null },
      activeGroups: ['Grocery'],
    }),
  );
  expect([session.title, session.modelId, session.activeGroups]).toEqual([
    'Tides',
    'm2',
    ['Grocery'],
  ]);
  session.apply(line('ChatDelete'));

  expect(session.state).toBe('gone');
});
