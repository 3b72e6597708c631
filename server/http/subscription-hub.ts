import type { Sink } from '../events/cursor.ts';
import type { Events } from '../events/events.ts';
import { AppError } from '../errors.ts';
import { chatStream, viewerStream } from '../events/stream.ts';
import type { ToolStreamEvent } from '../events/tool-event-store.ts';
import type { Services } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import {
  prepareSubscription,
  type EncodeLine,
  type PreparedSubscription,
  type SubscriptionRequest,
} from './prepare-subscription.ts';
import { toToolEventLine } from './tool-event-line.ts';

export interface OpenSubscription {
  readonly viewer: Viewer;
  readonly request: SubscriptionRequest;
  /** What an SSE client saw last; it wins over the cursor in the arguments. */
  readonly lastEventId: string | null;
  readonly sink: Sink;
}

/** Joins subscriptions of both transports to their streams. */
export interface SubscriptionHub {
  /**
   * @returns a function that ends the subscription in silence.
   * @throws GraphQLError, AppError for what the client can mend.
   */
  open(subscription: OpenSubscription): Promise<() => void>;
  count(): number;
}

interface Group {
  readonly encode: EncodeLine;
  members: number;
}

const MAX_SEQUENCE = 2_147_483_647;

export function createSubscriptionHub({
  services,
  events,
  maxStreamsOfAPerson = 200,
}: {
  readonly services: Services;
  readonly events: Pick<Events, 'hub' | 'toolEvents'>;
  readonly maxStreamsOfAPerson?: number;
}): SubscriptionHub {
  const groups = new Map<string, Group>();
  const ofPeople = new Map<string, number>();

  function join({ field, groupKey, createEncoder }: PreparedSubscription, viewer: Viewer): Group {
    const group = groups.get(groupKey) ?? {
      encode: encoderOf(field, createEncoder(), viewer),
      members: 0,
    };
    groups.set(groupKey, group);
    group.members += 1;
    return group;
  }

  /** Counts a subscription until the returned function is called; calling it again does nothing. */
  function enter(prepared: PreparedSubscription, viewer: Viewer): { group: Group; leave(): void } {
    const open = ofPeople.get(viewer.id) ?? 0;
    if (open >= maxStreamsOfAPerson) {
      throw new AppError(
        'OVERLOADED',
        `You follow ${open} streams already, which is the limit; close some first.`,
      );
    }
    const group = join(prepared, viewer);
    ofPeople.set(viewer.id, open + 1);
    let isIn = true;
    return {
      group,
      leave() {
        if (!isIn) return;
        isIn = false;
        group.members -= 1;
        if (group.members === 0) groups.delete(prepared.groupKey);
        const left = (ofPeople.get(viewer.id) ?? 1) - 1;
        if (left === 0) ofPeople.delete(viewer.id);
        else ofPeople.set(viewer.id, left);
      },
    };
  }

  return {
    count: () => events.hub.subscriptionCount() + events.toolEvents.subscriptionCount(),
    async open({ viewer, request, lastEventId, sink }) {
      const prepared = prepareSubscription(request, viewer, services);
      await checkOwner(prepared, viewer, services);
      const { group, leave } = enter(prepared, viewer);
      const ending: Sink = {
        ...sink,
        end(error) {
          leave();
          sink.end(error);
        },
      };
      try {
        const place = { ...prepared, viewer, lastEventId };
        const close = await subscribe(events, place, { sink: ending, encode: group.encode });
        return () => {
          leave();
          close();
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

const encoderOf = (
  field: PreparedSubscription['field'],
  encode: EncodeLine,
  viewer: Viewer,
): EncodeLine =>
  field === 'toolEvents'
    ? (value) => encode(toToolEventLine(value as ToolStreamEvent, viewer))
    : encode;

/** @throws AppError `NOT_FOUND` for a chat of somebody else. */
async function checkOwner(
  { field, arguments: values }: PreparedSubscription,
  viewer: Viewer,
  services: Services,
): Promise<void> {
  const { chatId } = values;
  if (typeof chatId !== 'string') return;
  if (field === 'toolEvents' && viewer.role === 'OPERATOR') return;
  await services.chats.get(viewer, chatId);
}

async function subscribe(
  { hub, toolEvents }: Pick<Events, 'hub' | 'toolEvents'>,
  place: PreparedSubscription & { readonly viewer: Viewer; readonly lastEventId: string | null },
  { sink, encode }: { readonly sink: Sink; readonly encode: EncodeLine },
): Promise<() => void> {
  const { field, viewer, lastEventId, arguments: values } = place;
  if (field === 'toolEvents') {
    return toolEvents.subscribe({
      filter: {
        ownerId: viewer.role === 'OPERATOR' ? null : viewer.id,
        chatId: (values['chatId'] as string | undefined) ?? null,
        toolName: (values['toolName'] as string | undefined) ?? null,
      },
      after: lastEventId ?? (values['after'] as string | undefined) ?? null,
      ...{ sink, encode },
    });
  }
  const stream =
    field === 'chatEvents' ? chatStream(String(values['chatId'])) : viewerStream(viewer.id);
  const given = lastEventId ?? values['afterSequence'] ?? values['after'] ?? 0;
  const afterSequence = Number(given);
  if (!Number.isInteger(afterSequence) || afterSequence < 0 || afterSequence > MAX_SEQUENCE) {
    throw new AppError(
      'BAD_INPUT',
      `${JSON.stringify(given)} is no number of an event: those are whole and from 0 to ${MAX_SEQUENCE}.`,
    );
  }
  return hub.subscribe({ stream, afterSequence, ...{ sink, encode } });
}
