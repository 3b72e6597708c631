import type { MessagePart } from '../../events/chat-event.ts';
import type { MessageRecord } from '../../services/chat-records.ts';
import { builder } from '../builder.ts';
import { ChatFile } from './file.ts';
import { ToolCall } from './tool-call.ts';
import { Turn } from './turn.ts';

const MessageRole = builder.enumType('MessageRole', {
  description: 'Who wrote a message.',
  values: {
    USER: { description: 'The person.' },
    ASSISTANT: { description: 'The model.' },
  } as const,
});

const MessagePartKind = builder.enumType('MessagePartType', {
  description: 'What a part of an answer is.',
  values: {
    TEXT: { value: 'text', description: 'Words for the person, in Markdown.' },
    REASONING: { value: 'reasoning', description: 'What the model thought on the way.' },
    TOOL_CALL: { value: 'tool-call', description: 'A tool call, by its id.' },
  } as const,
});

export const MessagePartType = builder.objectRef<MessagePart>('MessagePart').implement({
  description: 'A part of an answer, in the order in which it was made.',
  fields: (t) => ({
    type: t.field({
      type: MessagePartKind,
      description: 'What it is.',
      resolve: ({ type }) => type,
    }),
    stepIndex: t.exposeInt('stepIndex', { description: 'The step that made it, from 0.' }),
    text: t.string({
      nullable: true,
      description: 'The words; null for a tool call.',
      resolve: (part) => (part.type === 'tool-call' ? null : part.text),
    }),
    callId: t.id({
      nullable: true,
      description: 'The call; null for words.',
      resolve: (part) => (part.type === 'tool-call' ? part.callId : null),
    }),
  }),
});

export const Message = builder.objectRef<MessageRecord>('Message').implement({
  description:
    'One entry of a chat. Messages form a tree: siblings are edits, or answers made anew.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    parentId: t.exposeID('parentId', {
      nullable: true,
      description: 'What it follows; null at the root.',
    }),
    role: t.field({ type: MessageRole, description: 'Who wrote it.', resolve: ({ role }) => role }),
    text: t.exposeString('text', {
      description: 'Its whole text; empty while an answer is being written.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was begun.',
      resolve: (message) => message.createdAt,
    }),
    parts: t.field({
      type: [MessagePartType],
      description: 'Parts of an answer, as far as it has come.',
      resolve: ({ parts }) => [...parts],
    }),
    toolCalls: t.field({
      type: [ToolCall],
      description: 'Calls of an answer, in order.',
      resolve: ({ toolCalls }) => [...toolCalls],
    }),
    files: t.field({
      type: [ChatFile],
      description: 'Files that were sent with it.',
      resolve: ({ files }) => [...files],
    }),
    turn: t.field({
      type: Turn,
      nullable: true,
      description: 'The turn that wrote an answer.',
      resolve: ({ turn }) => turn,
    }),
  }),
});
