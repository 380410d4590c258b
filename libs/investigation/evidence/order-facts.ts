import { metadataOf } from '@app/event-store';
import { dataDigestOf } from '../log-proofs/log-leaf';
import type { Json, TimelineEntry } from './evidence';
import type { RelatedEvent } from './related-event';

const AUTHENTICATION: ReadonlySet<string> = new Set(['PayerChallenged', 'PayerReturned', 'RandomSumWithdrawn']);
/** An outcome with what the gate says of the payer's authentication: 3-D Secure's result and its ECI. */
const saysAuthentication = ({ shown }: RelatedEvent): boolean => {
  const receipt = shown !== null && typeof shown === 'object' && 'receipt' in shown ? shown.receipt : null;
  return receipt !== null && typeof receipt === 'object' && ('payerAuthentication' in receipt || 'eci' in receipt);
};
const FEES: ReadonlySet<string> = new Set(['FeesOffered', 'FeeChosen', 'GateFeesOffered', 'GateFeeChosen', 'CommissionDiffered']);
const GATE = /^(?:Attempt|FollowUp|Late)/;
const REPORTS: ReadonlySet<string> = new Set([
  'ChargebackReceived',
  'RepresentmentReported',
  'ReversalReported',
  'FraudWarningReceived',
  'ReportSetAside',
]);

export const timelineEntry = ({ stored, of, shown }: RelatedEvent): TimelineEntry => {
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
  const typed = (types: ReadonlySet<string>): readonly Json[] => ofOrder.filter(({ stored }) => types.has(stored.type)).map(asFact);
  return {
    authentication: ofOrder.filter((event) => AUTHENTICATION.has(event.stored.type) || saysAuthentication(event)).map(asFact),
    fees: typed(FEES),
    gateConversations: ofOrder.filter(({ stored }) => GATE.test(stored.type)).map(asGateFact),
    reports: typed(REPORTS),
    deliveries: events.filter(({ of }) => of === 'delivery').map(asFact),
    operatorActions: events.filter(({ of }) => of === 'operator').map(asFact),
  };
};
