import type { EventFile } from '../../events/chat-event.ts';
import type { FileRecord } from '../../services/chat-records.ts';
import { builder } from '../builder.ts';
import { requireViewer } from '../context.ts';

export const FileOrigin = builder.enumType('FileOrigin', {
  description: 'Where a file came from.',
  values: {
    UPLOADED: { description: 'A person uploaded it.' },
    GENERATED: { description: 'A tool made it.' },
  } as const,
});

export const ChatFile = builder.objectRef<FileRecord>('ChatFile').implement({
  description: 'A file of a chat.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    label: t.exposeString('label', {
      description: 'Name as people and models see it; unique in the chat.',
    }),
    origin: t.field({
      type: FileOrigin,
      description: 'Where it came from.',
      resolve: (file) => file.origin,
    }),
    mimeType: t.exposeString('mimeType', { description: 'Media type.' }),
    bytes: t.exposeInt('bytes', { description: 'Size in bytes.' }),
    downloadUrl: t.exposeString('downloadUrl', {
      description: 'Address on this server, for its owner.',
    }),
    codeInterpreterPath: t.exposeString('codeInterpreterPath', {
      description: 'Where code_interpreter finds the file.',
    }),
    messageId: t.exposeID('messageId', {
      nullable: true,
      description: 'The message that it was sent with.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was added.',
      resolve: (file) => file.createdAt,
    }),
  }),
});

export const EventFileType = builder.objectRef<EventFile>('EventFile').implement({
  description: 'A file as an event tells of it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    label: t.exposeString('label', { description: 'Name as people and models see it.' }),
    origin: t.field({
      type: FileOrigin,
      description: 'Where it came from.',
      resolve: (file) => file.origin,
    }),
    mimeType: t.exposeString('mimeType', { description: 'Media type.' }),
    bytes: t.exposeInt('bytes', { description: 'Size in bytes.' }),
    downloadUrl: t.exposeString('downloadUrl', {
      description: 'Address on this server, for its owner.',
    }),
  }),
});

builder.mutationFields((t) => ({
  uploadFile: t.field({
    type: ChatFile,
    nullable: true,
    description: 'Attaches what was received by `POST /uploads` to a chat.',
    args: {
      chatId: t.arg.id({ required: true, description: 'The chat that gets the file.' }),
      uploadId: t.arg.id({ required: true, description: 'What `POST /uploads` answered.' }),
    },
    resolve: (_root, { chatId, uploadId }, context) =>
      context.services.files.attach(requireViewer(context), chatId, uploadId),
  }),
  deleteFile: t.boolean({
    nullable: true,
    description: 'Removes a file from its chat and from the disk.',
    args: { fileId: t.arg.id({ required: true, description: 'The file.' }) },
    resolve: async (_root, { fileId }, context) => {
      await context.services.files.delete(requireViewer(context), fileId);
      return true;
    },
  }),
}));
