import type { GateSubject } from './gates.ts';

/** Tells listeners when other tools are registered than before. */
export interface Announcer {
  /** Looks again, and tells of a difference. */
  announce(): void;
  onChange(listener: () => void): () => void;
  close(): void;
}

/** @param listRegistered - the tools that are registered now. */
export function createAnnouncer(listRegistered: () => readonly GateSubject[]): Announcer {
  const listeners = new Set<() => void>();
  let told = '';

  return {
    announce() {
      // The address tells a new version of a tool from the old one.
      const present = listRegistered()
        .map(({ name, descriptor }) => `${name} ${descriptor?.moduleUrl ?? ''}`)
        .join('\n');
      if (present === told) return;
      told = present;
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => listeners.clear(),
  };
}
