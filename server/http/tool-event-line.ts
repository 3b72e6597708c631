import type { ToolEvent } from '../events/chat-event.ts';
import type { ToolStreamEvent } from '../events/tool-event-store.ts';
import type { ToolEventLine } from '../graphql/modules/subscription.ts';
import type { Viewer } from '../services/viewer.ts';

/** A tool event as a person may see it: of other people's calls nothing that they or their tools wrote. */
export function toToolEventLine(value: ToolStreamEvent, viewer: Viewer): ToolEventLine {
  const { cursor, chatId, ownerId: userId, ownerName: userName, sequence, createdAt } = value;
  const event = userId === viewer.id ? value.event : withoutTexts(value.event);
  const line = { sequence, previousSequence: sequence - 1, createdAt, event };
  return { cursor, chatId, userId, userName, line };
}

function withoutTexts(event: ToolEvent): ToolEvent {
  switch (event.type) {
    case 'tool-call-start':
      return { ...event, argumentsText: null };
    case 'tool-call-progress':
      return { ...event, message: null, data: null };
    case 'tool-call-end':
      return { ...event, result: null, message: null, files: [] };
    case 'activation-request':
      return { ...event, reason: '' };
    case 'activation-response':
      return event;
  }
}
