import { request } from '../api/client.ts';
import { Chats, ViewerEvents } from '../api/documents.ts';
import type { ResultOf } from '../api/graphql.ts';
import { follow } from '../api/subscribe.ts';
import { viewer } from '../api/viewer.svelte.ts';

type Edge = ResultOf<typeof Chats>['chats'] extends infer List
  ? NonNullable<List> extends { edges: (infer One)[] }
    ? One
    : never
  : never;
export type ListedChat = Edge['node'] & { readonly snippet: string | null };

/** The chats of the viewer, live: what happens on another device shows here too. */
export class ChatList {
  state = $state<'loading' | 'ready' | 'failed'>('loading');
  error = $state.raw<unknown>(null);
  chats = $state.raw<readonly ListedChat[]>([]);
  found = $state.raw<readonly ListedChat[] | null>(null);
  hasMore = $state(false);
  isArchived = $state(false);
  #cursor: string | null = null;
  #stop: (() => void) | null = null;
  #searches = 0;

  async open(): Promise<void> {
    this.close();
    this.state = 'loading';
    try {
      const lastSequence = await this.#read(null);
      this.state = 'ready';
      this.#follow(lastSequence);
    } catch (error) {
      this.error = error;
      this.state = 'failed';
    }
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
  }

  async showArchived(isArchived: boolean): Promise<void> {
    this.isArchived = isArchived;
    this.chats = [];
    await this.open();
  }

  async more(): Promise<void> {
    await this.#read(this.#cursor);
  }

  /** An empty text ends the search; of several at once the last one counts. */
  async search(text: string): Promise<void> {
    const search = text.trim();
    const number = ++this.#searches;
    if (search === '') {
      this.found = null;
      return;
    }
    const { chats } = await request(Chats, { search });
    if (number !== this.#searches) return;
    this.found = (chats?.edges ?? []).map(toListed);
  }

  async #read(after: string | null): Promise<number> {
    const answer = await request(Chats, { after, archived: this.isArchived });
    const { chats } = answer;
    const read = (chats?.edges ?? []).map(toListed);
    this.chats = after === null ? read : [...this.chats, ...read];
    this.hasMore = chats?.pageInfo.hasNextPage ?? false;
    this.#cursor = chats?.pageInfo.endCursor ?? null;
    return answer.viewer.lastSequence;
  }

  #follow(after: number): void {
    this.#stop = follow(
      { document: ViewerEvents, variables: { after }, cursor: 'after' },
      {
        placeOf: ({ viewerEvents: { __typename, sequence } }) =>
          __typename === 'ViewerLogReset' ? null : sequence,
        onData: ({ viewerEvents: line }) => {
          if (line.__typename === 'ChatRemoval') this.#remove(line.chatId);
          if (line.__typename === 'ChatChange') this.#change(line);
          if (line.__typename === 'ViewerLogReset') void this.open();
          if (line.__typename === 'SignOut') viewer.doubts += 1;
        },
        onError: (error) => (this.error = error),
      },
    );
  }

  #remove(chatId: string): void {
    this.chats = this.chats.filter(({ id }) => id !== chatId);
    this.found = this.found?.filter(({ id }) => id !== chatId) ?? null;
  }

  #change(change: Omit<ListedChat, 'id' | 'snippet'> & { readonly chatId: string }): void {
    const { chatId: id, title, modelId, pinned, archived, busy, updatedAt } = change;
    const others = this.chats.filter((chat) => chat.id !== id);
    if (archived !== this.isArchived) {
      this.chats = others;
      return;
    }
    const chat = { id, title, modelId, pinned, archived, busy, updatedAt, snippet: null };
    this.chats = [...others, chat].sort(newestFirst);
  }
}

const toListed = ({ node, snippet }: Edge): ListedChat => ({ ...node, snippet });

const newestFirst = (a: ListedChat, b: ListedChat): number =>
  Number(b.pinned) - Number(a.pinned) || (a.updatedAt < b.updatedAt ? 1 : -1);

export const chatList = new ChatList();
