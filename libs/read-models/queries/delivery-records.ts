import { unreachable, type Instant } from '@app/kernel';
import {
  deliveryCodec,
  deliveryStateOf,
  deliveryStream,
  deliveryWork,
  parseDeliveryKey,
  type Delivery,
  type DeliveryEvent,
  type DeliveryListener,
} from '@app/callbacks';
import type { TryFailure } from '@app/callbacks/events';
import type { CallbackTarget } from '@app/orders/events';
import { metadataOf, readChained, type Actor, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import { decodeAny } from './event-codecs';

type DeliveryStep =
  | { readonly kind: 'delivered'; readonly at: Instant; readonly tryNumber: number; readonly httpStatus: number }
  | { readonly kind: 'failed'; readonly at: Instant; readonly tryNumber: number; readonly failure: TryFailure; readonly nextTryAt: Instant }
  | { readonly kind: 'exhausted'; readonly at: Instant; readonly tryNumber: number; readonly failure: TryFailure }
  | {
      readonly kind: 'resend-requested';
      readonly at: Instant;
      /** The operator that the token identifies. */
      readonly actor: string;
      /** The actor that the request claimed in addition. */
      readonly claimedActor?: string;
    };

/** The history of one callback of an order. */
export interface DeliveryRecord {
  /** `<webhook-id>:<target>`. */
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly target: CallbackTarget;
  /** The type of the order's event that the callback reports. */
  readonly tellsOf: string;
  readonly toldAt: Instant;
  readonly status: Delivery['status'];
  /** When the next attempt is due, or the event's time before the first attempt. Undefined if no automatic attempt follows. */
  readonly nextTryAt: Instant | undefined;
  readonly steps: readonly DeliveryStep[];
}

/** More than an order can report, or than a delivery has attempts. */
const EVENTS_MAX = 10_000;

const eventsOf = async <Event>(
  log: Pick<EventStore, 'read'>,
  stream: StreamName,
  pick: (stored: StoredEvent) => Event | undefined,
): Promise<readonly Event[]> => {
  const events: Event[] = [];
  for await (const stored of readChained(log, stream)) {
    const event = pick(stored);
    if (event !== undefined && events.push(event) > EVENTS_MAX) throw new Error(`${stream} holds more than ${EVENTS_MAX} events`);
  }
  return events;
};

/** Events that this release cannot read open no deliveries. */
const newsOf = (stored: StoredEvent): DeliveryListener | undefined => {
  try {
    const event = decodeAny(stored) as DeliveryListener['event'] | undefined;
    return event === undefined ? undefined : { stream: stored.stream, id: stored.id, event, metadata: metadataOf(stored) };
  } catch {
    return undefined;
  }
};

const stepOf = (event: DeliveryEvent, { actor, claimedActor }: Actor): DeliveryStep => {
  switch (event.type) {
    case 'CallbackDelivered': {
      const { tries, status, deliveredAt } = event.data;
      return { kind: 'delivered', at: deliveredAt, tryNumber: tries, httpStatus: status };
    }
    case 'CallbackFailed': {
      const { tryNumber, failure, failedAt, nextTryAt } = event.data;
      return { kind: 'failed', at: failedAt, tryNumber, failure, nextTryAt };
    }
    case 'CallbackExhausted': {
      const { tries, failure, exhaustedAt } = event.data;
      return { kind: 'exhausted', at: exhaustedAt, tryNumber: tries, failure };
    }
    case 'CallbackResendRequested':
      return { kind: 'resend-requested', at: event.data.requestedAt, actor, ...(claimedActor !== undefined && { claimedActor }) };
    default:
      return unreachable(event);
  }
};

const nextTryAtOf = (state: Delivery, toldAt: Instant): Instant | undefined => {
  switch (state.status) {
    case 'untried':
      return toldAt;
    case 'waiting':
      return state.nextTryAt;
    case 'delivered':
    case 'exhausted':
      return undefined;
    default:
      return unreachable(state);
  }
};

/**
 * Callbacks of an order with all attempts, from the log (protocol decisions, section 6). Uses the projection that schedules deliveries.
 * Events contain no addresses or bodies.
 */
export const deliveryRecords = async (log: Pick<EventStore, 'read'>, orderStream: StreamName): Promise<readonly DeliveryRecord[]> => {
  const records: DeliveryRecord[] = [];
  for (const news of await eventsOf(log, orderStream, newsOf)) {
    for (const change of deliveryWork(news)) {
      if (change.kind !== 'due') continue;
      const { factId, target } = parseDeliveryKey(change.item.key);
      const recorded = await eventsOf(log, deliveryStream(factId, target), (stored) => ({
        event: deliveryCodec.decode(stored),
        by: metadataOf(stored),
      }));
      const state = deliveryStateOf(recorded.map(({ event }) => event));
      const toldAt = news.metadata.recordedAt;
      records.push({
        deliveryId: change.item.key,
        webhookId: factId,
        target,
        tellsOf: news.event.type,
        toldAt,
        status: state.status,
        nextTryAt: nextTryAtOf(state, toldAt),
        steps: recorded.map(({ event, by }) => stepOf(event, by)),
      });
    }
  }
  return records;
};

type Dated<Step> = Step extends unknown ? { readonly [Name in keyof Step]: Name extends 'at' | 'nextTryAt' ? string : Step[Name] } : never;

export interface DeliveryJson extends Omit<DeliveryRecord, 'toldAt' | 'nextTryAt' | 'steps'> {
  readonly toldAt: string;
  readonly nextTryAt?: string;
  readonly steps: readonly Dated<DeliveryStep>[];
}

const instant = (at: number): string => new Date(at).toISOString();

export const deliveryAsJson = ({ toldAt, nextTryAt, steps, ...delivery }: DeliveryRecord): DeliveryJson => ({
  ...delivery,
  toldAt: instant(toldAt),
  ...(nextTryAt !== undefined && { nextTryAt: instant(nextTryAt) }),
  steps: steps.map((step) => ({
    ...step,
    at: instant(step.at),
    ...('nextTryAt' in step && { nextTryAt: instant(step.nextTryAt) }),
  })) as readonly Dated<DeliveryStep>[],
});
