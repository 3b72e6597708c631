import type { Database } from '../db/client.ts';
import type { Log } from '../log.ts';
import type { ModelCatalogue } from '../models/model.ts';
import { CHAT_HEAD, toChatRecord } from './chat-mapping.ts';
import type { EventWriter } from './event-writer.ts';
import { chatChange } from './owned-chat.ts';
import { storableText } from './storable.ts';

const MAX_TITLE_CHARACTERS = 80;
const TITLE_TIMEOUT_MS = 20_000;
const SAMPLE_CHARACTERS = 2_000;

/** Cuts at a word where there is one, and never inside a character. */
function shorten(text: string, maxCharacters: number): string {
  const clean = text.replace(/\s+/g, ' ').trim();
  if (clean.length <= maxCharacters) return clean;
  const cut = clean.slice(0, maxCharacters).toWellFormed().replaceAll('\uFFFD', '');
  const space = cut.lastIndexOf(' ');
  return `${space > maxCharacters / 2 ? cut.slice(0, space) : cut}…`;
}

/** The title of a chat until a model or a person gives it a better one. */
export const provisionalTitle = (firstMessage: string): string =>
  storableText(shorten(firstMessage, MAX_TITLE_CHARACTERS)) || 'Files';

export interface TitleWriter {
  /** After a chat's first turn: asks the chat's model for a title. Never rejects. */
  onTurnEnd(turnId: string): Promise<void>;
}

export interface TitleWriterDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly catalogue: ModelCatalogue;
  readonly log: Log;
}

export function createTitleWriter(dependencies: TitleWriterDependencies): TitleWriter {
  const { database, catalogue, log } = dependencies;
  return {
    async onTurnEnd(turnId) {
      try {
        const turn = await database.client.turn.findUnique({
          where: { id: turnId },
          include: { userMessage: true, assistantMessage: true, chat: true },
        });
        const isFirst = turn?.userMessage.parentId === null;
        if (turn === null || !isFirst || turn.endReason !== 'COMPLETED') return;
        const { protocol } = catalogue.adapter(turn.modelId);
        if (protocol === 'direct' || turn.chat.titleByPerson) return;
        const before = turn.chat.title;
        if (before !== provisionalTitle(turn.userMessage.text)) return;
        const title = await askForTitle(catalogue, turn.modelId, [
          turn.userMessage.text,
          turn.assistantMessage.text,
        ]);
        if (title !== '') await storeTitle(dependencies, turn.chatId, { before, title });
      } catch (error) {
        log.warn({ error, turnId }, 'No title could be made for a chat.');
      }
    },
  };
}

async function askForTitle(
  catalogue: ModelCatalogue,
  modelId: string,
  texts: readonly string[],
): Promise<string> {
  const [question, answer] = texts.map((text) => shorten(text, SAMPLE_CHARACTERS));
  const stream = catalogue.adapter(modelId).stream(
    {
      model: catalogue.find(modelId)?.model ?? modelId,
      system:
        'Name the conversation with at most six words in its own language. Write the name alone, without quotes and without a full stop.',
      history: [{ type: 'user', text: `Person: ${question}\n\nAssistant: ${answer}` }],
      tools: [],
      maxOutputTokens: 1_024,
      cacheKey: 'title',
    },
    AbortSignal.timeout(TITLE_TIMEOUT_MS),
  );
  let title = '';
  for await (const part of stream) if (part.type === 'text-delta') title += part.text;
  return shorten(title.replace(/^["'„“»]+|["'”“«.]+$/g, ''), MAX_TITLE_CHARACTERS);
}

/** Never over a name that has changed since: a person's wins. */
async function storeTitle(
  { events }: TitleWriterDependencies,
  chatId: string,
  { before, title }: { before: string; title: string },
): Promise<void> {
  await events.transact(async (transaction, collected) => {
    const changed = await transaction.chat.updateMany({
      where: { id: chatId, title: before, titleByPerson: false },
      data: { title: storableText(title) },
    });
    if (changed.count === 0) return;
    const chat = await transaction.chat.findUniqueOrThrow({
      where: { id: chatId },
      select: CHAT_HEAD,
    });
    collected.chat(chatId, { type: 'chat-update', title: chat.title });
    collected.viewer(chat.ownerId, chatChange(toChatRecord(chat)));
  });
}
