import type { ChatEvent, ViewerEvent } from './chat-event.ts';

/** Events that a later one replaces; they are removed in the transaction that stores it. */
export interface Superseded {
  readonly types: readonly string[];
  /** Field that the replaced events share with the one that replaces them. */
  readonly field: 'messageId' | 'callId';
  readonly value: string;
  /** Nothing that is replaced lies before the newest event of this type that holds `value` in `startField`. */
  readonly startType: string;
  readonly startField: 'assistantMessageId' | 'callId';
}

/** @returns what `event` replaces; null if it replaces nothing. */
export function findSuperseded(event: ChatEvent | ViewerEvent): Superseded | null {
  switch (event.type) {
    case 'message-end':
      return {
        types: ['text-delta', 'reasoning-delta'],
        field: 'messageId',
        value: event.messageId,
        startType: 'turn-start',
        startField: 'assistantMessageId',
      };
    case 'tool-call-end':
      return {
        types: ['tool-call-progress'],
        field: 'callId',
        value: event.callId,
        startType: 'tool-call-start',
        startField: 'callId',
      };
    default:
      return null;
  }
}

/** @returns whether one of `replacements` replaces `event`. */
export function isSuperseded(
  event: ChatEvent | ViewerEvent,
  replacements: readonly Superseded[],
): boolean {
  return replacements.some(
    ({ types, field, value }) =>
      types.includes(event.type) && (event as unknown as Record<string, unknown>)[field] === value,
  );
}
