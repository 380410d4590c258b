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
import { orderSteps } from '../as-of/order-steps';
import { datedEvents, eventsAsOf, type DatedEvent, orderHistory, orderState, viewAfter } from '../as-of/dated-events';
import type { SignedCheckpoint, VerifyKey } from '../log-proofs/checkpoint';
import { OriginDamaged, readOrigin } from '../log-proofs/checkpoint-issuer';
import { CheckpointStore } from '../log-proofs/checkpoint-stores';
import { EventProofs, type EventPlace } from '../log-proofs/event-proof';
import { dataDigestOf } from '../log-proofs/log-tree';
import type { ProofFiles } from '../log-proofs/proof-files';
import { TileDamaged } from '../log-proofs/tiles';
import { ERASED } from '../orders/sealed-texts';
import { consumerOf, sealedConsumer, type Consumer, earlierOrders, type EarlierOrderSources } from './earlier-orders';

export class NoEvidence extends Error {
  override readonly name = 'NoEvidence';

  /** @param isLater true if a retry may succeed: no signed checkpoint covers the events yet, or their proofs cannot be read */
  constructor(
    reason: string,
    readonly isLater = false,
  ) {
    super(reason);
  }
}

export interface RelatedEvent {
  readonly stored: StoredEvent;
  /** `order`, `card`, `delivery` or `operator`. */
  readonly of: string;
  readonly shown: Json;
  /** True if all events of its stream belong to the order. */
  readonly isOfWholeStream: boolean;
}

const ORDER_CATEGORIES: ReadonlySet<string> = new Set(ORDER_STATUS_CATEGORIES);
/** Streams with events of many orders. */
const SHARED: ReadonlySet<string> = new Set(['operator']);
const NAMES: Readonly<Record<string, string>> = { cardReference: 'card', approval: 'operator' };

const nameOf = (category: string): string => (ORDER_CATEGORIES.has(category) ? 'order' : (NAMES[category] ?? category));

/**
 * Stored events of an order's trail without operators' queries, which changed nothing and must not exceed the limit.
 * @throws NoEvidence if there are more than a pack may contain; errors of the store
 */
export const relatedEvents = async (trails: OrderTrails, stream: StreamName, deadline?: Deadline): Promise<readonly RelatedEvent[]> => {
  const trail = await trails.of(stream, { isRevealed: false, areQuestionsTold: false, ...(deadline !== undefined && { deadline }) });
  if (trail === undefined) return [];
  if (trail.isCutShort) throw new NoEvidence('the order has more events than a pack can contain');
  return trail.events.map((stored, at) => {
    const category = categoryOf(stored.stream);
    const shown = (trail.entries[at]?.data ?? null) as Json;
    return { stored, of: nameOf(category), shown, isOfWholeStream: !SHARED.has(category) };
  });
};

/** Events recorded at a time. If clocks differ, an event counts as recorded no earlier than its predecessor, so that a whole stream has no gaps. */
export const onRecordAt = (events: readonly RelatedEvent[], at: Instant): readonly RelatedEvent[] => {
  const ended = new Set<StreamName>();
  return events.filter(({ stored, isOfWholeStream }) => {
    const isLater = metadataOf(stored).recordedAt > at;
    if (isLater && isOfWholeStream) ended.add(stored.stream);
    return !isLater && !ended.has(stored.stream);
  });
};

const AUTHENTICATION: ReadonlySet<string> = new Set(['PayerChallenged', 'PayerReturned', 'RandomSumWithdrawn']);
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

/** Includes the digest of the recorded request or answer, which the log's tree binds too. */
const asGateFact = (event: RelatedEvent): Json => ({ ...(asFact(event) as object), sha256: dataDigestOf(event.stored) });

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

export interface EvidenceSources extends EarlierOrderSources {
  readonly trails: OrderTrails;
  readonly facts: CallbackFacts;
  readonly accounts: Accounts;
  readonly tree: ProofFiles;
}

const NO_ORDER = 'the order did not exist at that time';
const DISPUTES: ReadonlySet<string> = new Set(['ChargebackReceived', 'FraudWarningReceived']);

/**
 * Default time: the newest dispute, else the newest event of the order, its cards or its callbacks.
 * Operator actions and approvals do not count, since they would change a repeated pack.
 */
const usualMoment = (history: readonly DatedEvent[], events: readonly RelatedEvent[]): Instant | undefined => {
  const dispute = history.findLast(({ logEvent }) => DISPUTES.has(logEvent.event.type))?.knownAt;
  const last = history.at(-1)?.knownAt;
  if (dispute !== undefined || last === undefined) return dispute;
  const own = events
    .filter(({ isOfWholeStream, of }) => isOfWholeStream && of !== 'operator')
    .map(({ stored }) => metadataOf(stored).recordedAt);
  return own.reduce((newest, at) => (at > newest ? at : newest), last);
};

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

interface SentCallback {
  /** `webhook-id` of every attempt: the id of the reported event. */
  readonly webhookId: string;
  readonly target: string;
  /** Its body, or the query of a GET; null if it can no longer be reconstructed. */
  readonly content: string | null;
}

/** A callback was sent only if it has an attempt; a scheduled one has no event. */
const TRIED: ReadonlySet<string> = new Set(['CallbackDelivered', 'CallbackFailed', 'CallbackExhausted']);

/** A callback's content does not depend on the time of the attempt. Headers do, and are left out. */
const WHENEVER = 0 as Instant;

/** Free text of payers or merchants. Other members are numbers, of which one in ten would pass as a card number. */
const TYPED = ['name', 'card-holder-name', 'email', 'merchantdata'] as const;

const contentOf = (factId: EventId, fact: CallbackFact, accounts: Accounts): string | null => {
  const merchant = accounts.merchant(fact.merchant);
  if (merchant === undefined) return null;
  if (TYPED.some((name) => looksLikeCardNumber(fact.members[name] ?? ''))) return WITHHELD;
  const { body, query } = callbackRequest(factId, fact, fact.members, merchant, WHENEVER);
  return body ?? query ?? '';
};

/** Reconstructs an order's callbacks, which are identical in every attempt (safety, I5), with today's keys. Without the consumer's texts the original cannot be reconstructed. */
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
    // Notifications to a merchant server are in the timeline; their message contains a device session.
    if (fact?.kind === 'notification') continue;
    const content = fact === undefined ? null : contentOf(factId, fact, accounts);
    sent.push({ webhookId: factId, target, content: consumer === undefined ? ERASED : content });
  }
  return sent;
};

/**
 * The oldest signed checkpoint that covers all events, so that a repeated pack has the same one, and each event's index.
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
    if (origin === undefined) throw notYet('no checkpoint of the log is signed yet');
    const proofs = await EventProofs.open({ log, files, places: [new CheckpointStore('log-proofs', files)], key, origin, deadline });
    const made = await proofs.together(events.map(({ stored }) => stored));
    switch (made.kind) {
      case 'places':
        return made;
      case 'not-covered':
        throw notYet('no checkpoint covers its newest events yet: one is signed every ten seconds');
      case 'event-differs':
        throw notYet('the log has another event than the one that was written there: run orch log verify');
      case 'no-leaf':
        throw notYet('an event of the order has no hash chain, so it is not in the tree');
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
 * Gathers the evidence of an order as of a time. It unseals personal data, so the caller must be authorised and recorded.
 * @param at later records are left out; default: the newest dispute, else the newest event of the order, its cards or its callbacks
 * @throws NoEvidence, BrokenChain, and errors of store and vault
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
  const steps = await orderSteps(history);
  const earlier = await earlierOrders(sources, { view, stream, consumer, at: moment }, deadline);
  return {
    order: { merchant, orderId, clientOrderId, kind },
    at: moment,
    streams: streamsOf(events),
    events: inOrder.map(({ event: { stored }, index, path }) => ({ event: stored, index, path })),
    checkpoint,
    facts: {
      states: statesOf(history),
      steps: plain(steps),
      consumer: consumer === undefined ? ERASED : plain(consumer),
      ...factsOfEvents(events),
      leftOut: LEFT_OUT,
      callbacks: plain(await callbacksOf(sources, { events, consumer }, deadline)),
      earlierOrders: plain(earlier),
    },
    page: {
      state: orderState(view),
      steps,
      consumer,
      earlierOrders: earlier,
      timeline: inOrder.map(({ event }) => timelineEntry(event)),
    },
  };
};
