import { AppError } from '../errors.ts';
import type { HostFile, ToolHost } from '../tools/kit/tool-host.ts';
import type { FileRecord } from './chat-records.ts';
import type { Facts } from './facts.ts';
import type { Files } from './files.ts';

const toHostFile = (file: FileRecord): HostFile => ({
  label: file.label,
  origin: file.origin,
  mimeType: file.mimeType,
  bytes: file.bytes,
  downloadUrl: file.downloadUrl,
  codeInterpreterPath: file.codeInterpreterPath,
});

/** What one call may ask of the application, bound to its user and chat. */
export function createToolHost(
  services: { readonly files: Files; readonly facts: Facts } & Pick<ToolHost, 'cache' | 'pace'>,
  scope: { readonly chatId: string; readonly userId: string; readonly callId: string },
): ToolHost {
  const { files, facts, cache, pace } = services;
  const { chatId, userId, callId } = scope;
  return {
    cache,
    pace,
    files: {
      list: async () => (await files.listOfChat(chatId)).map(toHostFile),
      async locate(label) {
        const file = await files.locateLabel(chatId, label);
        return file === null ? null : { ...toHostFile(file), path: file.path };
      },
      async create(file) {
        if (/[\\/]/.test(file.label)) {
          throw new AppError(
            'BAD_INPUT',
            `"${file.label}" must be a plain file name without a path.`,
          );
        }
        return toHostFile(await files.createGenerated(chatId, { ...file, callId }));
      },
    },
    facts: {
      remember: (text) => facts.add(userId, text),
      find: (match) => facts.find(userId, match),
      forget: (id) => facts.remove(userId, id),
    },
  };
}
