import {
  categoryOf,
  metadataOf,
  type StoredEvent,
  type StreamName,
  assertInTime,
  looksLikeCardNumber,
  readsWithin,
  type EventId,
} from '@app/event-store';
import type { Deadline, Instant } from '@app/kernel';
import { ORDER_STATUS_CATEGORIES } from '@app/read-models';
import { callbackRequest, type CallbackFact, type CallbackFacts } from '@app/callbacks';
import type { DeliveryIdentity } from '@app/callbacks/events';
import type { Accounts } from '@app/configuration';
import { isEventOf } from '@app/orders/domain';
import type { OrderTrails } from '../orders/order-trail';
import { type Json, WITHHELD, type Evidence, type EvidenceStream, type TimelineEntry } from './evidence-pack';
import { datedEvents, eventsAsOf, type DatedEvent, orderHistory, orderState, viewAfter } from '../as-of/dated-events';
import type { SignedCheckpoint, VerifyKey } from '../log-proofs/checkpoint';
import { OriginDamaged, readOrigin } from '../log-proofs/checkpoint-issuer';
import { FilesPlace } from '../log-proofs/checkpoint-places';
import { EventProofs, type EventPlace } from '../log-proofs/event-proof';
import { dataDigestOf } from '../log-proofs/log-tree';
import type { ProofFiles } from '../log-proofs/proof-files';
import { TileDamaged } from '../log-proofs/tiles';
import { ERASED } from '../orders/sealed-texts';
import { consumerOf, sealedConsumer, type Consumer, earlierOrders, type EarlierOrderSources } from './earlier-orders';

/** No pack can be made of an order. */
export class NoEvidence extends Error {
  override readonly name = 'NoEvidence';

  /** @param isLater whether the same question may be answered later: no signed checkpoint covers the events yet, or their proofs cannot be read */
  constructor(
    reason: string,
    readonly isLater = false,
  ) {
    super(reason);
  }
}

/** An event that belongs to an order, in its own stream or in another. */
export interface RelatedEvent {
  readonly stored: StoredEvent;
  /** What its stream is about: `order`, `card`, `delivery`, `operator`. */
  readonly of: string;
  /** Its data for people, with what is sealed or charges a card left out. */
  readonly shown: Json;
  /** Whether all events of its stream belong to the order. */
  readonly isOfWholeStream: boolean;
}

const ORDER_CATEGORIES: ReadonlySet<string> = new Set(ORDER_STATUS_CATEGORIES);
/** Streams that hold events of many orders. */
const SHARED: ReadonlySet<string> = new Set(['operator']);
const NAMES: Readonly<Record<string, string>> = { cardReference: 'card' };

const nameOf = (category: string): string => (ORDER_CATEGORIES.has(category) ? 'order' : (NAMES[category] ?? category));

/**
 * The events of an order's trail as they are stored, without the questions: nothing happened by them, and no number of them may keep a pack from being made.
 * @throws NoEvidence where there are more than a pack may hold; what the store throws
 */
export const relatedEvents = async (trails: OrderTrails, stream: StreamName, deadline?: Deadline): Promise<readonly RelatedEvent[]> => {
  const trail = await trails.of(stream, { isRevealed: false, areQuestionsTold: false, ...(deadline !== undefined && { deadline }) });
  if (trail === undefined) return [];
  if (trail.isCutShort) throw new NoEvidence('there are more events around this order than a pack may hold');
  return trail.events.map((stored, at) => {
    const category = categoryOf(stored.stream);
    const shown = (trail.entries[at]?.data ?? null) as Json;
    return { stored, of: nameOf(category), shown, isOfWholeStream: !SHARED.has(category) };
  });
};

/**
 * The events that were on record at a time. Of a stream that belongs to the order as a whole none is left out between two others, whatever the clocks of
 * two processes said: an event is on record no earlier than the one before it.
 */
export const onRecordAt = (events: readonly RelatedEvent[], at: Instant): readonly RelatedEvent[] => {
  const ended = new Set<StreamName>();
  return events.filter(({ stored, isOfWholeStream }) => {
    const isLater = metadataOf(stored).recordedAt > at;
    if (isLater && isOfWholeStream) ended.add(stored.stream);
    return !isLater && !ended.has(stored.stream);
  });
};

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

/** All that evidence is made of. */
export interface EvidenceSources extends EarlierOrderSources {
  readonly trails: OrderTrails;
  readonly facts: CallbackFacts;
  readonly accounts: Accounts;
  /** The tree that is kept beside the log, with its checkpoints. */
  readonly tree: ProofFiles;
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

/** A callback as the merchant was sent it. */
interface SentCallback {
  /** The `webhook-id` of every try: the id of the event that it tells of. */
  readonly webhookId: string;
  readonly target: string;
  /** Its body, or the query of a GET; null where nothing tells it any more. */
  readonly content: string | null;
}

/** Only a callback that was tried was sent: one that is due alone has no event. */
const TRIED: ReadonlySet<string> = new Set(['CallbackDelivered', 'CallbackFailed', 'CallbackExhausted']);

/** Content of a callback does not depend on when it is tried; headers do, and are not told. */
const WHENEVER = 0 as Instant;

/** Members that hold what a payer or a merchant typed. The others are numbers of orders and gates, of which one in ten would be taken for a card's. */
const TYPED = ['name', 'card-holder-name', 'email', 'merchantdata'] as const;

const contentOf = (factId: EventId, fact: CallbackFact, accounts: Accounts): string | null => {
  const merchant = accounts.merchant(fact.merchant);
  if (merchant === undefined) return null;
  if (TYPED.some((name) => looksLikeCardNumber(fact.members[name] ?? ''))) return WITHHELD;
  const { body, query } = callbackRequest(factId, fact, fact.members, merchant, WHENEVER);
  return body ?? query ?? '';
};

/**
 * Makes the callbacks of an order again, as every try of them sends the same bytes (safety, I5), under the keys of today's configuration.
 * A callback carried texts of the consumer: without them it is not what was sent.
 */
const callbacksOf = async (
  { facts, accounts }: EvidenceSources,
  { events, consumer }: { readonly events: readonly RelatedEvent[]; readonly consumer: Consumer | undefined },
  deadline: Deadline | undefined,
): Promise<readonly SentCallback[]> => {
  const tried = new Map<string, DeliveryIdentity>();
  for (const { stored } of events) if (TRIED.has(stored.type)) tried.set(stored.stream, JSON.parse(stored.data) as DeliveryIdentity);
  const sent: SentCallback[] = [];
  for (const { factId, target, orderStream } of tried.values()) {
    assertInTime(deadline);
    const fact = await facts.factOf(orderStream, factId, target);
    // What a merchant server is notified of is in the timeline; its message holds the session of the consumer's device.
    if (fact?.kind === 'notification') continue;
    const content = fact === undefined ? null : contentOf(factId, fact, accounts);
    sent.push({ webhookId: factId, target, content: consumer === undefined ? ERASED : content });
  }
  return sent;
};

/**
 * The oldest signed checkpoint that covers all of the events, so that a pack that is made again has the same one, and the place of each.
 * @throws NoEvidence
 */
const proved = async (
  { log, tree: files }: EvidenceSources,
  { events, key }: { readonly events: readonly RelatedEvent[]; readonly key: VerifyKey },
  deadline: Deadline | undefined,
): Promise<{ readonly checkpoint: SignedCheckpoint; readonly places: readonly EventPlace[] }> => {
  const notYet = (reason: string): NoEvidence => new NoEvidence(reason, true);
  try {
    const origin = await readOrigin(files);
    if (origin === undefined) throw notYet('no checkpoint of the log is signed here yet');
    const proofs = await EventProofs.open({ log, files, places: [new FilesPlace('log-proofs', files)], key, origin, deadline });
    const made = await proofs.together(events.map(({ stored }) => stored));
    switch (made.kind) {
      case 'places':
        return made;
      case 'not-covered':
        throw notYet('no checkpoint reaches the newest of its events yet: one is signed every ten seconds');
      case 'event-differs':
        throw notYet('the log has another event than the one that was written in its place: orch log verify tells which');
      case 'no-leaf':
        throw notYet('an event of it has no hash chain, and is not in the tree');
    }
  } catch (error) {
    if (error instanceof OriginDamaged) throw notYet(error.message);
    if (error instanceof TileDamaged) throw notYet(`the tree of the log cannot be used: ${error.message}`);
    throw error;
  }
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
 * @throws NoEvidence, BrokenChain, and what store and vault throw
 */
export const gatherEvidence = async (
  sources: EvidenceSources,
  { stream, at, key }: { readonly stream: StreamName; readonly at: Instant | undefined; readonly key: VerifyKey },
  deadline?: Deadline,
): Promise<Evidence> => {
  const whole = datedEvents(await orderHistory(readsWithin(sources.log, deadline), stream));
  if (whole.length === 0) throw new NoEvidence(NO_ORDER);
  const related = await relatedEvents(sources.trails, stream, deadline);
  const moment = at ?? usualMoment(whole, related);
  const history = moment === undefined ? [] : eventsAsOf(whole, { kind: 'known-at', at: moment });
  const view = viewAfter(history);
  if (moment === undefined || view === undefined) throw new NoEvidence(NO_ORDER);
  const events = onRecordAt(related, moment);
  const { checkpoint, places } = await proved(sources, { events, key }, deadline);
  const proven = events.flatMap((event, at) => {
    const place = places[at];
    return place === undefined ? [] : [{ event, ...place }];
  });
  const inOrder = proven.sort((a, b) => a.index - b.index);
  const consumer = await consumerOf(sources.vault, sealedConsumer(view, history), deadline);
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
      callbacks: plain(await callbacksOf(sources, { events, consumer }, deadline)),
      earlierOrders: plain(await earlierOrders(sources, { view, stream, consumer, at: moment }, deadline)),
    },
    timeline: inOrder.map(({ event }) => timelineEntry(event)),
  };
};
