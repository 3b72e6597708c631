import type { ChatEvent, LogReset, Sequenced } from '../../events/chat-event.ts';
import { builder } from '../builder.ts';

type AnyEvent = ChatEvent | LogReset;
type TypeName = AnyEvent['type'];
type Of<Name extends TypeName> = Extract<AnyEvent, { readonly type: Name }>;

/** The GraphQL type of each event. */
const TYPE_NAMES: Record<TypeName, string> = {
  'turn-start': 'TurnStart',
  'message-start': 'MessageStart',
  'step-start': 'StepStart',
  'text-delta': 'TextDelta',
  'reasoning-delta': 'ReasoningDelta',
  'step-end': 'StepEnd',
  'tool-call-start': 'ToolCallStart',
  'tool-call-progress': 'ToolCallProgress',
  'tool-call-end': 'ToolCallEnd',
  'activation-request': 'ActivationRequested',
  'activation-response': 'ActivationResponse',
  'turn-wait': 'TurnWait',
  'turn-resume': 'TurnResume',
  'message-end': 'MessageEnd',
  'turn-end': 'TurnEnd',
  'chat-update': 'ChatUpdate',
  'chat-delete': 'ChatDelete',
  'log-reset': 'LogReset',
};

export const ChatEventType = builder.interfaceRef<Sequenced<AnyEvent>>('ChatEvent').implement({
  description: 'A line of a chat’s log. Whoever folds the lines in order has the chat as it is.',
  resolveType: ({ event }) => TYPE_NAMES[event.type],
  fields: (t) => ({
    sequence: t.exposeInt('sequence', {
      description: 'Number in the chat’s log, without holes while live.',
    }),
    previousSequence: t.exposeInt('previousSequence', {
      description:
        'What the stream had covered before; reconnect only if it is above your own number.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was stored.',
      resolve: (line) => line.createdAt,
    }),
  }),
});

/** Declares the type of one event; `read` hands the resolvers the event itself. */
export const eventType = <Name extends TypeName>(name: Name, description: string) => ({
  ref: builder.objectRef<Sequenced<Of<Name>>>(TYPE_NAMES[name]),
  options: { description, interfaces: [ChatEventType] as never },
});

/** Descriptions of what many events name. */
export const ids = {
  turnId: 'The turn.',
  messageId: 'The message.',
  stepIndex: 'The step, from 0.',
  callId: 'The call.',
  toolName: 'The tool.',
};
