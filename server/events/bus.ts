/** What one process tells the others. Everything that matters is in the database: it may get lost. */
export type BusMessage =
  | {
      readonly type: 'stream';
      readonly kind: 'chat' | 'viewer';
      readonly id: string;
      /** The newest number of the stream; null if the stream is gone. */
      readonly lastSequence: number | null;
      /** Whether there are events of tools among the new ones. */
      readonly hasToolEvents: boolean;
    }
  | { readonly type: 'credential-end'; readonly credentialId: string };

/**
 * The doorbell between processes that share a database. Its messages say that there is something
 * to read, never what; readers fetch it.
 */
export interface Bus {
  /** Whether there may be other processes at all. */
  readonly isShared: boolean;
  announce(messages: readonly BusMessage[]): void;
  /** @returns a function that ends this. Messages of this very process may come back, too. */
  subscribe(onMessage: (message: BusMessage) => void): () => void;
  /** Calls `onGap` whenever messages may have been missed. @returns a function that ends this. */
  onGap(onGap: () => void): () => void;
  close(): Promise<void>;
}

/** For a database that one process has to itself: there is nobody to tell. */
export function createLocalBus(): Bus {
  return {
    isShared: false,
    announce: () => {},
    subscribe: () => () => {},
    onGap: () => () => {},
    close: async () => {},
  };
}
