import { type AnyEvent, type StoredEvent, categoryOf, BrokenChain, readChained, type StreamName } from '@app/event-store';
import type { CardReferenceIssued } from '@app/card-registration/events';
import type { ErasureEvent } from '@app/investigation/erasure/events';
import {
  ERASURE_CATEGORY,
  evolve,
  NOTHING_ERASED,
  type Erasure,
  type ErasureJson,
  erasedTexts,
  erasureOf,
  erasureStream,
} from '@app/investigation/erasure';
import type { CardRefId, Sealed } from '@app/kernel';
import { orderKeyOf } from '@app/card-vault';
import { cardReferenceStream } from '@app/card-registration';
import { deliveryStream } from '@app/callbacks';
import type { CallbackTarget } from '@app/orders/events';
import { CARD_REFERENCE, foldOrderStatus, logEventOf, type OrderEvent, type OrderStatusView } from '@app/read-models';
import { decodeAny, namedStream } from '@app/read-models/queries';
import type { EventLogReader, OrderReaders } from '../stores';
import { counted } from '../terminal';
import { scanCategory } from './find-order';

export type StoryEvent = { readonly stored: StoredEvent } & (
  { readonly isReadable: true; readonly event: AnyEvent } | { readonly isReadable: false; readonly problem: string }
);

const erasureIn = (events: readonly StoryEvent[]): Erasure =>
  events.reduce(
    (state, one) =>
      one.isReadable && categoryOf(one.stored.stream) === ERASURE_CATEGORY ? evolve(state, one.event as ErasureEvent) : state,
    NOTHING_ERASED,
  );

/** One line per erasure, and one if the order is on hold. */
export const erasureLines = ({ heldSince, underWay, done = [] }: Partial<ErasureJson> = {}): readonly string[] => [
  ...(heldSince === undefined ? [] : [`under legal hold since ${heldSince}`]),
  ...done.map(
    ({ erasedAt, texts, cards, cause, requestId }) =>
      `erased ${erasedAt} ${cause === 'request' ? 'on request' : 'by age'}: ${counted(texts, 'key')} of texts, ${counted(cards, 'card')}, request ${requestId}`,
  ),
  ...(underWay === undefined ? [] : [`is being erased since ${underWay.requestedAt}, request ${underWay.requestId}`]),
];

export interface OrderStory {
  readonly stream: StreamName;
  /** Undefined if an event cannot be read by this release, or a chain is broken. */
  readonly view: OrderStatusView | undefined;
  /** Breaks of the order's streams; the story contains only the events before a break. */
  readonly breaks: readonly BrokenChain[];
  /** Events of the order, its card references, deliveries and erasure, in log order. */
  readonly events: readonly StoryEvent[];
  readonly erasure: Erasure;
  /** Applies to any sealed text in the story. */
  readonly isErased: IsErased;
}

/** A longer stream of an order is a fault. */
const STREAM_EVENTS_MAX = 10_000;
const CARD_REFERENCES_MAX = 1_000;

/** Reads all events of one order. @throws Error if the stream is empty or too long */
export const orderStory = async (readers: Pick<OrderReaders, 'log' | 'readModel'>, stream: StreamName): Promise<OrderStory> => {
  const { log } = readers;
  const { own, view, others } = await partsOf(readers, stream);
  const parts = [own, ...(await Promise.all(others.map((other) => soundEventsOf(log, other))))];
  const events = parts.flatMap((part) => part.events).sort((a, b) => log.comparePositions(a.stored.position, b.stored.position));
  const erasure = erasureIn(events);
  const isErased = await erasedIn(log, stream, events, erasure);
  return { stream, view, events, breaks: parts.flatMap((part) => part.broken ?? []), erasure, isErased };
};

interface OrderStreams {
  readonly streams: readonly StreamName[];
  /** False if an event cannot be read by this release: the card references are then unknown. */
  readonly isWhole: boolean;
}

/** A recurrent payment's customer is sealed text of the order that registered the card, and is erased with that order. */
const erasedIn = async (log: EventLogReader, stream: StreamName, events: readonly StoryEvent[], erasure: Erasure): Promise<IsErased> => {
  const others = events.flatMap((one) => {
    if (!one.isReadable || one.event.type !== 'CardReferenceIssued') return [];
    const { orderKind, merchant, clientOrderId } = one.event.data as CardReferenceIssued['data'];
    return namedStream(orderKind, merchant, clientOrderId);
  });
  const elsewhere = [...new Set(others)].filter((other) => other !== stream);
  const gone = [erasure, ...(await Promise.all(elsewhere.map((other) => erasureOf(log, other))))].map(erasedTexts);
  return (sealed) => {
    try {
      const key = orderKeyOf(sealed);
      return gone.some((keys) => keys.has(key));
    } catch {
      return false;
    }
  };
};

/** Streams of the order, its card references, deliveries and erasure. */
export const orderStreams = async (readers: Pick<OrderReaders, 'log' | 'readModel'>, stream: StreamName): Promise<OrderStreams> => {
  const { view, others } = await partsOf(readers, stream);
  return { streams: [stream, ...others], isWhole: view !== undefined };
};

interface SoundEvents {
  readonly events: readonly StoryEvent[];
  readonly broken: BrokenChain | undefined;
}

interface OrderParts {
  readonly own: SoundEvents;
  readonly view: OrderStatusView | undefined;
  readonly others: readonly StreamName[];
}

const partsOf = async ({ log, readModel }: Pick<OrderReaders, 'log' | 'readModel'>, stream: StreamName): Promise<OrderParts> => {
  const own = await soundEventsOf(log, stream);
  const view = own.broken === undefined ? viewOf(own.events) : undefined;
  const others = new Set<StreamName>([...deliveriesOf(own.events), erasureStream(stream)]);
  if (view !== undefined) for (const reference of await cardReferencesOf({ log, readModel }, view)) others.add(reference);
  return { own, view, others: [...others] };
};

const soundEventsOf = async (log: EventLogReader, stream: StreamName): Promise<SoundEvents> => {
  const events: StoryEvent[] = [];
  try {
    for await (const stored of readChained(log, stream)) {
      if (events.push(storyEvent(stored)) > STREAM_EVENTS_MAX) throw new Error(`${stream} holds more than ${STREAM_EVENTS_MAX} events`);
    }
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
    return { events: error.isOfTwo ? events.slice(0, -1) : events, broken: error };
  }
  return { events, broken: undefined };
};

const storyEvent = (stored: StoredEvent): StoryEvent => {
  try {
    const event = decodeAny(stored);
    if (event === undefined) return { stored, isReadable: false, problem: 'its category is not known' };
    return { stored, isReadable: true, event };
  } catch (error) {
    return { stored, isReadable: false, problem: error instanceof Error ? error.message : 'it cannot be decoded' };
  }
};

const viewOf = (events: readonly StoryEvent[]): OrderStatusView | undefined => {
  let view: OrderStatusView | undefined;
  for (const one of events) {
    if (!one.isReadable) return undefined;
    view = foldOrderStatus(view, logEventOf(one.stored, one.event as OrderEvent));
  }
  return view;
};

/** A final event contains the callback targets, and its id names the deliveries' streams. */
const deliveriesOf = (events: readonly StoryEvent[]): readonly StreamName[] =>
  events.flatMap((one) => {
    // Acceptances contain targets too, but only final events are delivered.
    if (!one.isReadable || one.event.type === 'FollowUpAccepted' || !('callbacks' in one.event.data)) return [];
    const { callbacks } = one.event.data as { readonly callbacks: readonly CallbackTarget[] };
    return callbacks.map((target) => deliveryStream(one.stored.id, target));
  });

/** References charged, issued or otherwise linked to the order, from the read model and the newer events that it lacks. */
const cardReferencesOf = async (
  { log, readModel }: Pick<OrderReaders, 'log' | 'readModel'>,
  { merchant, orderId, card, cardRefId, mapped }: OrderStatusView,
): Promise<readonly StreamName[]> => {
  const known = [cardRefId, mapped?.source, mapped?.destination].filter((reference) => typeof reference === 'string');
  const rows = (card && (await readModel?.cardReferences.byCard(merchant, card.uid, CARD_REFERENCES_MAX))) ?? [];
  const issued = rows.filter(({ view }) => view.orderId === orderId).map(({ stream }) => stream);
  const checkpoint = (await readModel?.checkpoint(CARD_REFERENCE)) ?? 'start';
  const newer = await scanCategory(log, 'cardReference', checkpoint, orderId, ({ data }) => {
    const reference = data as { readonly orderId?: string; readonly merchant?: string; readonly cardRefId?: CardRefId };
    return reference.orderId === orderId && reference.merchant === merchant;
  });
  return [...known.map((reference) => cardReferenceStream(merchant, reference)), ...issued, ...newer.map(({ stream }) => stream)];
};

export type IsErased = (sealed: Sealed) => boolean;
export const nothingErased: IsErased = () => false;
