import { metadataOf, readsWithin, type StoredEvent, type StreamName } from '@app/event-store';
import type { Deadline, Instant } from '@app/kernel';
import { datedEvents, eventsAsOf, type DatedEvent } from '../as-of/dated-events';
import { orderHistory } from '../as-of/order-history';
import { orderState, viewAfter } from '../as-of/order-state';
import type { EventPlace } from '../log-proofs/event-proof';
import type { SignedCheckpoint } from '../log-proofs/checkpoint';
import type { Evidence, EvidenceStream, Json, TimelineEntry } from './evidence';
import { ERASED } from '../orders/conceal-sealed';
import { isEventOf } from '@app/orders/domain';
import { consumerOf, type Consumer } from './consumer';
import { earlierOrders, type EarlierOrdersPorts } from './earlier-orders';
import { onRecordAt, type RelatedEvent } from './related-event';
import { sealedConsumer } from './sealed-consumer';
import { dataDigestOf } from '../log-proofs/log-leaf';

const AUTHENTICATION: ReadonlySet<string> = new Set(['PayerChallenged', 'PayerReturned', 'RandomSumWithdrawn']);
/** An outcome with what the gate says of the payer's authentication: 3-D Secure's result and its ECI. */
const saysAuthentication = ({ shown }: RelatedEvent): boolean => {
  const receipt = shown !== null && typeof shown === 'object' && 'receipt' in shown ? shown.receipt : null;
  return receipt !== null && typeof receipt === 'object' && ('payerAuthentication' in receipt || 'eci' in receipt);
};
const FEES: ReadonlySet<string> = new Set(['FeesOffered', 'FeeChosen', 'GateFeesOffered', 'GateFeeChosen', 'CommissionDiffered']);
const GATE = /^(?:Attempt|FollowUp|Late)/;

const timelineEntry = ({ stored, of, shown }: RelatedEvent): TimelineEntry => {
  const { recordedAt, actor, claimedActor } = metadataOf(stored);
  const who = claimedActor === undefined ? actor : `${actor} for ${claimedActor}`;
  return { at: recordedAt, of, type: stored.type, actor: who, details: shown };
};

const asFact = (event: RelatedEvent): Json => {
  const { at, type, actor, details } = timelineEntry(event);
  return { at: new Date(at).toISOString(), event: type, by: actor, eventId: event.stored.id, details };
};

/** With the digest of what was recorded of the request or the answer: the same that the log's tree binds. */
const asGateFact = (event: RelatedEvent): Json => ({ ...(asFact(event) as object), sha256: dataDigestOf(event.stored) });

/** What the events of an order say, by what a card scheme asks for. */
export const factsOfEvents = (events: readonly RelatedEvent[]): { readonly [name: string]: Json } => {
  const ofOrder = events.filter(({ of }) => of === 'order');
  return {
    authentication: ofOrder.filter((event) => AUTHENTICATION.has(event.stored.type) || saysAuthentication(event)).map(asFact),
    fees: ofOrder.filter(({ stored }) => FEES.has(stored.type)).map(asFact),
    gateConversations: ofOrder.filter(({ stored }) => GATE.test(stored.type)).map(asGateFact),
    reports: ofOrder.filter(({ stored }) => isEventOf(stored, 'report')).map(asFact),
    deliveries: events.filter(({ of }) => of === 'delivery').map(asFact),
    operatorActions: events.filter(({ of }) => of === 'operator').map(asFact),
  };
};

/** A callback as the merchant was sent it. */
export interface SentCallback {
  /** The `webhook-id` of every try: the id of the event that it tells of. */
  readonly webhookId: string;
  readonly target: string;
  /** Its body, or the query of a GET; null where nothing tells it any more. */
  readonly content: string | null;
}

export interface EvidencePorts extends EarlierOrdersPorts {
  /** All that belongs to an order, in the order of the log. */
  readonly relatedEvents: (stream: StreamName, deadline?: Deadline) => Promise<readonly RelatedEvent[]>;
  /** The callbacks that were tried by then. */
  readonly sentCallbacks: (events: readonly RelatedEvent[], deadline?: Deadline) => Promise<readonly SentCallback[]>;
  /**
   * The oldest signed checkpoint that covers all of the events, so that a pack that is made again has the same one, and the place of each.
   * @throws NotProven
   */
  readonly prove: (
    events: readonly StoredEvent[],
    deadline?: Deadline,
  ) => Promise<{ readonly checkpoint: SignedCheckpoint; readonly places: readonly EventPlace[] }>;
}

/** No signed checkpoint covers the events: none is signed at all, or not yet. */
export class NotProven extends Error {
  override readonly name = 'NotProven';
}

/** There was no such order at that time. */
export class NoEvidence extends Error {
  override readonly name = 'NoEvidence';
}

const NO_ORDER = 'there was no such order at that time';
const DISPUTES: ReadonlySet<string> = new Set(['ChargebackReceived', 'FraudWarningReceived']);

/**
 * Where nobody says otherwise: when the newest dispute was on record, else when the newest event was of the order, of its cards or of its callbacks. What
 * operators did and asked does not count: a pack that is made again would be another.
 */
const usualMoment = (history: readonly DatedEvent[], events: readonly RelatedEvent[]): Instant | undefined => {
  const dispute = history.findLast(({ logEvent }) => DISPUTES.has(logEvent.event.type))?.knownAt;
  const last = history.at(-1)?.knownAt;
  if (dispute !== undefined || last === undefined) return dispute;
  const own = events.filter(({ isOfWholeStream }) => isOfWholeStream).map(({ stored }) => metadataOf(stored).recordedAt);
  return own.reduce((newest, at) => (at > newest ? at : newest), last);
};

/** Stands in the pack, where a reader would look for them. */
const LEFT_OUT = 'Questions of operators about the order that showed nothing sealed; those that did are among operatorActions.';

const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

const statesOf = (history: readonly DatedEvent[]): Json => {
  const stateAfter = (events: readonly DatedEvent[]): Json => {
    const view = viewAfter(events);
    const last = events.at(-1);
    if (view === undefined || last === undefined) return null;
    return { at: new Date(last.knownAt).toISOString(), version: Number(last.logEvent.revision), state: plain(orderState(view)) };
  };
  const approved = history.findIndex(({ logEvent }) => logEvent.event.type === 'OrderApproved');
  return { authorisation: approved < 0 ? null : stateAfter(history.slice(0, approved + 1)), atThatTime: stateAfter(history) };
};

/** A callback carried texts of the consumer: without them it is not what was sent. */
const callbacksOf = async (
  { sentCallbacks }: Pick<EvidencePorts, 'sentCallbacks'>,
  events: readonly RelatedEvent[],
  consumer: Consumer | undefined,
  deadline: Deadline | undefined,
): Promise<readonly SentCallback[]> => {
  const sent = await sentCallbacks(events, deadline);
  return consumer === undefined ? sent.map((callback) => ({ ...callback, content: ERASED })) : sent;
};

const streamsOf = (events: readonly RelatedEvent[]): readonly EvidenceStream[] => {
  const streams = new Map<StreamName, EvidenceStream>();
  for (const { stored, isOfWholeStream } of events)
    if (!streams.has(stored.stream)) streams.set(stored.stream, { name: stored.stream, isWhole: isOfWholeStream });
  return [...streams.values()];
};

/**
 * All that a pack says of an order, as of a time. The consumer's personal data are unsealed in it: whoever asks must have the right to, and be on record.
 * @param at what was recorded later is left out; undefined: when the newest dispute was on record, else the newest event of it, its cards or its callbacks
 * @throws NoEvidence, NotProven, BrokenChain, and what store and vault throw
 */
export const gatherEvidence = async (
  ports: EvidencePorts,
  stream: StreamName,
  at: Instant | undefined,
  deadline?: Deadline,
): Promise<Evidence> => {
  const whole = datedEvents(await orderHistory(readsWithin(ports.log, deadline), stream));
  if (whole.length === 0) throw new NoEvidence(NO_ORDER);
  const related = await ports.relatedEvents(stream, deadline);
  const moment = at ?? usualMoment(whole, related);
  const history = moment === undefined ? [] : eventsAsOf(whole, { kind: 'known-at', at: moment });
  const view = viewAfter(history);
  if (moment === undefined || view === undefined) throw new NoEvidence(NO_ORDER);
  const events = onRecordAt(related, moment);
  const { checkpoint, places } = await ports.prove(
    events.map(({ stored }) => stored),
    deadline,
  );
  const proven = events.flatMap((event, at) => {
    const place = places[at];
    return place === undefined ? [] : [{ event, ...place }];
  });
  const inOrder = proven.sort((a, b) => a.index - b.index);
  const consumer = await consumerOf(ports.sealer, sealedConsumer(view, history), deadline);
  const { merchant, orderId, clientOrderId, kind } = view;
  return {
    order: { merchant, orderId, clientOrderId, kind },
    at: moment,
    streams: streamsOf(events),
    events: inOrder.map(({ event: { stored }, index, path }) => ({ event: stored, index, path })),
    checkpoint,
    facts: {
      states: statesOf(history),
      consumer: consumer === undefined ? ERASED : plain(consumer),
      ...factsOfEvents(events),
      leftOut: LEFT_OUT,
      callbacks: plain(await callbacksOf(ports, events, consumer, deadline)),
      earlierOrders: plain(await earlierOrders(ports, { view, stream, consumer, at: moment }, deadline)),
    },
    timeline: inOrder.map(({ event }) => timelineEntry(event)),
  };
};
