import { VaultUnavailable } from '@app/card-vault';
import { OutcomeUnknown, StoreUnavailable, type StoredEvent } from '@app/event-store';
import { callbackControl } from '@app/gateway-protocol';
import { Secret, type ClientOrderId, type MerchantLogin } from '@app/kernel';
import { CvvSubmitQueue } from '@app/orders';
import { paymentStream } from '@app/payment';
import { MemoryDisk } from '@app/read-models/testing';
import { RUNNING_WORK, type RunningWork } from '../../../apps/orchestrator/src/worker/running-work';
import { TEST_CARD_NUMBER } from '../../support/merchants/signed-requests';
import { checkAftermath } from './aftermath';
import type { DeviceRecord } from './device-records';
import { chargesIn, type BookEntry } from './gate-ledger';
import type { MerchantActor } from './merchant-actor';
import { isFinal, isRecurrent, SECURITY_CODE, statusOf, type OrderRecord } from './merchant-records';
import { checkApprovals } from './oracle/approvals';
import { checkDeliveries, checkLooks } from './oracle/bounds';
import { checkClaims, checkLateAnswers } from './oracle/calls';
import { checkConfirmations, checkFees, checkMappings, checkNotifications, checkRandomSums } from './oracle/device-orders';
import { checkContradictions, checkOperators, untrueOrders } from './oracle/operators';
import { checkFollowUps, entriesOf } from './oracle/follow-ups';
import { checkReaders } from './oracle/readers';
import { checkCardInfo, checkVersions, checkForged, checkRouting, checkScreening, checkStrangers } from './oracle/refusals';
import type { Report, Violation } from './oracle/report';
import { checkConfigured, checkHolds, checkPlans } from './oracle/switches';
import { DatabaseAway } from './port-faults';
import { eventsOf, openWorkOf, readModelOver } from './stores';
import type { World } from './world';

/** As a separate value: ids, times and amounts contain its digits by chance. */
const SECURITY_CODE_ALONE = new RegExp(`(?<![\\w-]|"minor":")${SECURITY_CODE}(?![\\w-])`);

/** Types of callbacks of follow-ups, which operators request too. */
const FOLLOW_UPS: ReadonlySet<string | undefined> = new Set(['capture', 'return', 'void']);

/** A starting process may end with one of these when a port fails, and is started again. No other error is allowed. */
const PORT_ERRORS = [StoreUnavailable, OutcomeUnknown, VaultUnavailable, DatabaseAway] as const;

const OVERTAKEN_REBUILD = /rebuild began meanwhile/;

export const violationsOf = async (world: World): Promise<readonly Violation[]> => {
  const found: Violation[] = [];
  const report = (invariant: string, about: string, seen: unknown): void =>
    void found.push({ invariant, about, seen: typeof seen === 'string' ? seen : JSON.stringify(seen) });
  const book = world.gates.flatMap((gate) => gate.book);
  const untrue = untrueOrders(world);
  const { moves } = world.approvals;
  checkGates(world, untrue, report);
  for (const merchant of world.merchants)
    for (const record of merchant.orders.values()) {
      checkAcceptance(record, report);
      checkTruth(record, book, untrue, report);
      checkFollowUps(record, { book, untrue, moves }, report);
      checkCallbacks(merchant, record, report);
      checkCardInfo(record, report);
      checkVersions(record, report);
    }
  for (const record of world.backOffice.orders) checkFollowUps(record, { book, untrue, moves }, report);
  const events = await eventsOf(world);
  for (const record of world.devices.records) {
    const orderIds = orderIdsOf(record, events);
    checkDevice(record, orderIds, [...orderIds].some((orderId) => untrue.has(orderId)) ? undefined : book, report);
  }
  checkLateAnswers(world, events, report);
  checkClaims(world, events, report);
  checkConfirmations(world, events, report);
  checkFees(world, events, report);
  checkRandomSums(world, events, report);
  checkNotifications(world, events, report);
  checkMappings(await eventsOf({ log: world.merchantServerLog }), report);
  checkStrangers(world, report);
  checkDeliveries(world, events, report);
  checkLooks(world, report);
  checkOperators(world, events, report);
  checkApprovals(world, events, report);
  checkContradictions(world, events, report);
  checkForged(world, events, report);
  checkHolds(world, events, report);
  checkPlans(world, events, report);
  checkConfigured(world, report);
  checkScreening(world, report);
  checkRouting(world, events, report);
  checkProcesses(world, report);
  await checkReaders(world, report);
  await checkStores(world, report);
  await checkAftermath(world, report);
  return found;
};

/** Each key leaves for a gate once, no order is charged twice, and no follow-up exceeds the remaining amount. */
const checkGates = (world: World, untrue: ReadonlySet<string>, report: Report): void => {
  for (const gate of world.gates)
    for (const [key, times] of gate.sent) if (times > 1) report('a key is sent to a gate once', key, `${times} times`);
  for (const { overdrawn } of world.gates)
    for (const orderId of overdrawn) if (!untrue.has(orderId)) report('a gate is asked for no more than is left', orderId, 'declined');
  const charged = new Map<string, number>();
  for (const { orderId } of chargesIn(world.gates.flatMap(({ book }) => book))) charged.set(orderId, (charged.get(orderId) ?? 0) + 1);
  for (const [orderId, times] of charged)
    if (times > 1 && !untrue.has(orderId)) report('an order is charged once', orderId, `${times} times`);
};

/** All answers name one order, and an order that was refused for good was never charged. */
const checkAcceptance = (record: OrderRecord, report: Report): void => {
  const ids = new Set(record.requests.flatMap(({ fields }) => (fields === 'lost' ? [] : [fields['paynet-order-id'] ?? []].flat())));
  if (ids.size > 1) report('one client_orderid is one order', record.clientOrderId, [...ids]);
  if (record.order === undefined) report('a request is answered once nothing fails', record.clientOrderId, record.requests.slice(-3));
};

/** The final answer to the merchant agrees with the gates' ledgers. */
const checkTruth = (record: OrderRecord, book: readonly BookEntry[], untrue: ReadonlySet<string>, report: Report): void => {
  if (record.order === undefined) return;
  const last = record.statuses.at(-1);
  if (last === undefined || !isFinal(last)) return report('an accepted order becomes final', record.clientOrderId, last ?? 'never asked');
  const entries = entriesOf(record, book).filter(({ original }) => original === undefined);
  const hasApproved = entries.some(({ outcome }) => outcome.kind === 'approved');
  if (hasApproved !== (statusOf(last) === 'approved') && !untrue.has(record.order.orderId))
    report('the status is what the gate did', record.clientOrderId, {
      status: statusOf(last),
      book: entries.map(({ outcome }) => outcome.kind),
    });
  const asked = new Set(record.amounts.map((amount) => BigInt(amount.replace('.', ''))));
  for (const { kind, amount } of entries)
    if (kind !== 'verification' && (amount === undefined || !asked.has(amount.minor)))
      report('a gate is asked for the amount of the order', record.clientOrderId, `${amount?.minor ?? 'none'} for ${record.amount}`);
  const finals = new Set(record.statuses.filter(isFinal).map(statusOf));
  if (finals.size > 1) report('a final status stays', record.clientOrderId, [...finals]);
};

/** The end is sent with a verifiable control, and all attempts of one callback have one id. */
const checkCallbacks = ({ settings }: MerchantActor, record: OrderRecord, report: Report): void => {
  const { clientOrderId, order } = record;
  const last = record.statuses.at(-1);
  if (order === undefined || last === undefined || !isFinal(last)) return;
  const keys = settings.controlKeys().map((key) => new Secret(key));
  for (const { fields } of record.callbacks) {
    const { status = '', orderid = '', merchant_order = '', control } = fields;
    if (!keys.some((key) => control === callbackControl({ status, orderId: orderid, clientOrderId: merchant_order }, key))) report('a callback is signed', clientOrderId, fields);
  } // prettier-ignore
  const ends = record.callbacks.filter(({ fields }) => !FOLLOW_UPS.has(fields['type']));
  const ids = new Set(ends.map(({ webhookId }) => webhookId));
  if (ids.size > 1) report('each try of a callback has one id', clientOrderId, [...ids]);
  const told = ends.find(({ wasAcknowledged }) => wasAcknowledged);
  if (!record.takesCallbacks) return;
  if (told === undefined) return report('the end of an order is told', clientOrderId, record.callbacks);
  if (told.fields['status'] !== statusOf(last)) report('a callback tells the truth', clientOrderId, { told: told.fields['status'], is: statusOf(last) });
}; // prettier-ignore

const orderIdsOf = ({ invoices }: DeviceRecord, events: readonly StoredEvent[]): ReadonlySet<string> =>
  new Set(
    events
      .filter(({ type, data }) => type === 'OrderAccepted' && invoices.some((invoiceId) => data.includes(invoiceId)))
      .map(({ data }) => (JSON.parse(data) as { readonly orderId: string }).orderId),
  );

/**
 * An app gets its order's true end, the same again, and pays once.
 * @param book undefined if a gate or operator gave false information
 */
const checkDevice = (record: DeviceRecord, orderIds: ReadonlySet<string>, book: readonly BookEntry[] | undefined, report: Report): void => {
  const { device, accepted, finals } = record;
  if (accepted.length === 0) return report('a device is answered once nothing fails', device, record.invoices);
  if (finals.length === 0) return report('an accepted order becomes final', device, record.accepted.map(({ invoiceId }) => invoiceId));
  if (new Set(finals).size > 1) report('a final status stays', device, finals);
  if (book === undefined) return;
  const entries = book.filter(({ orderId, original }) => orderIds.has(orderId) && original === undefined);
  const approved = entries.filter(({ outcome }) => outcome.kind === 'approved').length;
  if (approved > 1) report('a device order is paid once', device, entries.map(({ key }) => key));
  if ((approved === 1) !== (finals[0] === 'APPROVED')) report('the status is what the gate did', device, { finals, book: entries.map(({ outcome }) => outcome.kind) });
}; // prettier-ignore

const checkProcesses = (world: World, report: Report): void => {
  for (const error of world.instances.startFailures)
    if (!PORT_ERRORS.some((type) => error instanceof type)) report('a process starts', 'start', String(error));
  for (const { parts } of world.processes) {
    const { held } = parts.made(CvvSubmitQueue);
    if (held !== 0) report('no security code is held at rest', 'memory', held);
    const { inFlight } = parts.made<RunningWork>(RUNNING_WORK);
    if (inFlight !== 0) report('no work is under way at rest', 'memory', inFlight);
  }
  for (const error of world.rebuilder.failures)
    if (!OVERTAKEN_REBUILD.test(String(error))) report('a rebuild ends, or is overtaken by another', 'read models', String(error));
};

/** Everything sent to a gate is in the log, so that a dead process leaves no attempt without an inquiry. */
const checkIntents = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const log = events.map(({ data }) => data).join('\n');
  for (const gate of world.gates)
    for (const key of gate.sent.keys()) if (!log.includes(key)) report('a gate hears of a key once that is stored', key, 'in no event');
};

/** A charged card can be charged again as long as it may be registered. */
const checkCards = (world: World, report: Report): void => {
  const kept = new Set([...world.vault.cards.values()].filter(({ blob }) => blob.some((byte) => byte !== 0)).map(({ owner }) => owner));
  for (const { login, orders } of world.merchants)
    for (const { clientOrderId, kind, statuses } of orders.values()) {
      const stream = paymentStream(login as MerchantLogin, clientOrderId as ClientOrderId);
      const hasEndedApproved = statuses.some((told) => statusOf(told) === 'approved');
      if (!isRecurrent(kind) && hasEndedApproved && !kept.has(stream))
        report('the card of an approved order is kept', clientOrderId, 'shredded');
    }
};

/** The read models agree with the log, no work waits, every card has an owner, and the log contains no secret. */
const checkStores = async (world: World, report: Report): Promise<void> => {
  const events = await eventsOf(world);
  for (const { id, data, metadata } of events) {
    const text = `${data}${metadata}`;
    if (text.includes(TEST_CARD_NUMBER)) report('no card number in the log', id, data);
    if (SECURITY_CODE_ALONE.test(text)) report('no security code in the log', id, data);
  }
  checkIntents(world, events, report);
  checkCards(world, report);
  for (const work of await openWorkOf(world)) report('no work is open at rest', work, 'open');
  for (const handle of world.vault.ownerless) {
    const card = world.vault.cards.get(handle);
    if (card !== undefined && card.blob.some((byte) => byte !== 0)) report('no card is without an owner', handle, card.owner);
  }
  const spoilt = world.disk.spoiltRows;
  const disk = await MemoryDisk.create();
  const seen = spoilt.length === 0 ? world.disk : await MemoryDisk.create();
  if (seen !== world.disk) seen.restore(world.disk.copy());
  const [anew, live] = [readModelOver(world, disk), readModelOver(world, seen)];
  await anew.build();
  // An edited row that was never read since stays edited, and its checksum reveals it. If it was read, the merchants' answers show it.
  for (const { stream } of spoilt) for (const own of [disk, seen]) own.forgetStream(stream);
  for (const parked of await live.parkedStreams(1)) report('no stream is parked', parked.stream, parked.error);
  const folded = new Map((await anew.contents()).map(({ projection, digest, rows }) => [projection, `${rows} rows ${digest}`]));
  for (const { projection, digest, rows } of await live.contents())
    if (folded.get(projection) !== `${rows} rows ${digest}`) report('a read model is the fold of the log', projection, `${rows} rows, ${folded.get(projection) ?? 'none'}`); // prettier-ignore
  await Promise.all([anew.close(), live.close()]);
  for (const own of [disk, seen]) if (own !== world.disk) own.remove();
};
