import { EVENT_CODECS } from '@app/read-models/queries';
import { eventsOf } from '../world/stores';
import { statusOf, type OrderRecord } from '../world/merchant-records';
import type { World } from '../world/world';

const FAULTS = [
  'append.slow', 'append.refused', 'append.late', 'append.lost', 'read.slow', 'read.unread', 'head.unread', 'subscription.dropped',
  'read.stalled', 'append.ahead', 'subscription.doubled', 'log.leader-moves',
  'database.refused', 'database.lost', 'database.ownership-lost', 'database.ownership-untold', 'database.session-breaks', 'database.row-rots', 'database.all-lost', 'database.behind',
  'vault.before', 'vault.after', 'vault.away-at-start', 'vault.key-rotated',
  'gate.not-asked', 'gate.request-lost', 'gate.answer-lost', 'gate.late', 'gate.overdue', 'gate.slow', 'gate.declines', 'gate.payer', 'gate.hosts',
  'gate.beyond-flight', 'gate.answers-late', 'gate.mute', 'gate.contradicts',
  'callback.down', 'callback.failing', 'callback.lost', 'callback.slow', 'payer.leaves',
  'network.request-lost', 'network.answer-lost', 'network.doubled', 'network.slow', 'merchant.forged', 'merchant.asks-card', 'merchant.registers-v4', 'merchant.holds', 'merchant.asks-too-much', 'device.again', 'device.chooses-fee', 'device.chooses-none', 'device.misreads-sum', 'gate.not-quoted', 'gate.quotes-late', 'line.forged',
  'configuration.limited', 'configuration.routed', 'configuration.screened', 'configuration.numeric-ids', 'configuration.approvals', 'configuration.changes', 'configuration.applied', 'configuration.lags', 'configuration.rotates', 'configuration.gate-gone',
  'clocks.set-back', 'instance.pauses', 'instance.jumps',
  'operator.resolves', 'operator.doubled', 'operator.errs', 'operator.hasty', 'operator.resends', 'operator.unparks', 'operator.impostor', 'operator.moves', 'operator.moves-twice', 'operator.asks-again', 'operator.alone', 'operator.decides', 'operator.rivals', 'operator.rejects', 'operator.executes', 'on-call.holds', 'rebuild.begins', 'rebuild.killed',
] as const; // prettier-ignore
const CALLS = [
  'store.append', 'store.read', 'store.head', 'store.subscription', 'egress',
  'gate.charging.charge', 'gate.authorising.authorise', 'gate.verifying.verify', 'gate.capturing.capture', 'gate.returning.refund',
  'gate.voiding.void', 'gate.inquiring.inquire', 'gate.payerAuthentication.complete',
] as const; // prettier-ignore

/** Event types that the schema allows but these orders never reach, with the reason. */
const UNREACHABLE: readonly (readonly [type: RegExp, why: string])[] = [
  [/^recurring\.Payer(Challenged|Returned)$/, 'a gate asks for a payer where it was told whereto they come back, which a recurrent payment does not tell'],
  [/^deviceVerification\.(FeesOffered|FeeChosen|GateFeesOffered|GateFeeChosen|CommissionDiffered)$/, 'a verification moves no money that a fee could be taken of'],
  [/^deviceVerification\.(FollowUp\w+|LateFollowUpConflict)$/, 'a verification has nothing to give back'],
  [/^transfer\.CommissionDiffered$/, 'gates of the world hold what they named'],
  [/^transfer\.GateFee(sOffered|Chosen)$/, 'gates of the world name their commission beforehand, and ask no consumer'],
  [/^(deviceVerification|transfer)\.Order(Screened|Filtered)$/, 'the endpoint of the apps screens nothing'],
  [/\.(ChargebackReceived|FraudWarningReceived|RepresentmentReported|ReversalReported|ReportSetAside)$/, 'gates of the world report nothing by themselves'],
  [/\.AttemptTaken$/, 'gates of the world give their number with their answer, and not before it'],
  [/^cardReference\.(GateToken\w+|NetworkTransactionKept)$/, 'gates of the world keep no cards'],
  [/\.(OutcomeReconciled|FollowUpReconciled)$|^reconciliation\./, 'nobody reads settlement files'],
  [/^erasure\.|^cardReference\.CardShredded$/, 'nobody asks for erasure'],
  [/^operatorSession\./, 'nobody signs in with a browser'],
  [/^approval\.ProposalExpired$/, 'a person decides for minutes, and a proposal is valid for a day'],
]; // prettier-ignore

export const MARKS: readonly string[] = [
  ...['approved', 'declined', 'filtered', 'error'].map((status) => `status ${status}`),
  ...['capture', 'return', 'void'].map((kind) => `follow-up ${kind}`),
  ...EVENT_CODECS.flatMap((codec) => codec.describe())
    .map(({ category, type }) => `${category}.${type}`)
    .filter((name) => !UNREACHABLE.some(([type]) => type.test(name)))
    .map((name) => `event ${name}`),
  ...FAULTS.map((site) => `fault ${site}`),
  'death timer before',
  ...CALLS.flatMap((call) => [`death ${call} before`, `death ${call} after`]),
  'callback redelivered',
];

const marksOfOrder = ({ statuses, followUps, callbacks }: OrderRecord): readonly string[] => {
  const last = statuses.at(-1);
  const status = last === undefined ? undefined : statusOf(last);
  const ids = callbacks.map(({ webhookId }) => webhookId);
  return [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...followUps.map(({ kind }) => `follow-up ${kind}`),
    ...(new Set(ids).size < ids.length ? ['callback redelivered'] : []),
  ];
};

export const marksOf = async (world: World): Promise<ReadonlySet<string>> => {
  const reached = new Set<string>();
  for (const merchant of world.merchants)
    for (const record of merchant.orders.values()) for (const mark of marksOfOrder(record)) reached.add(mark);
  for (const { stream, type } of await eventsOf(world)) reached.add(`event ${stream.slice(0, stream.indexOf('-'))}.${type}`);
  for (const site of world.happened.keys()) reached.add(`fault ${site}`);
  for (const site of world.instances.diedAt) reached.add(`death ${site}`);
  return reached;
};

export interface Size {
  readonly orders: number;
  readonly faults: number;
}

export const sizeOf = async (world: World): Promise<Size> => {
  const faults = FAULTS.reduce((sum, site) => sum + (world.happened.get(site) ?? 0), world.instances.deaths);
  return { orders: (await eventsOf(world)).filter(({ type }) => type === 'OrderAccepted').length, faults };
};

export const WORLDS_FOR_ALL_MARKS = 500;

/** What a run did not reach. An invariant is not tested in a state that no world reaches, so a long run must reach every mark. */
export const marksMissing = ({ seedsDone, marks }: { readonly seedsDone: number; readonly marks: ReadonlyMap<string, number> }) => {
  const never = MARKS.filter((mark) => !marks.has(mark));
  return { never, isFailure: never.length > 0 && seedsDone >= WORLDS_FOR_ALL_MARKS };
};
