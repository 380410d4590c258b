import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StreamName, type Revision, hashOf, type NewEvent } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { ChainedWriter, chainedEvents } from '@app/event-store/testing';
import { systemScheduler, type ClientOrderId, type MerchantLogin, type NonEmpty, type OrderId } from '@app/kernel';
import { openDatabase } from '@app/databases/sqlite';
import { VirtualClock, ACCEPTED_AT, sampleOrder } from '@app/testing';
import { type CopyReport, SELECTED_STREAMS_MAX } from '@app/event-store/copy';
import { erasureStream } from '@app/investigation/erasure';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { paymentCodec, paymentStream } from '@app/payment';
import { paintFor, ProgressDisplay, type Output } from '../terminal';
import { copyLogTo, progressText, showCopy, type CopyOutcome, selectedStreams, type SelectionOptions } from './copy-log';

const STREAM = 'payment-1' as StreamName;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'copy-log-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  ['a copy', undefined, / The copied events stay\. Run the same command again to continue\.$/],
  ['a verification', true, /^(?!.* The copied events stay)/],
] as const)('%s exits with 1 and a one-line message if the source store cannot be read', async (_what, verifyOnly, message) => {
  const [from, to] = [join(folder, 'events.sqlite'), join(folder, 'other.sqlite')];
  const store = await EmbeddedEventStore.open({ path: from, clock: new VirtualClock(), scheduler: systemScheduler });
  await new ChainedWriter(store).write(STREAM);
  await store.close();
  // A view that fails at execution: the statements can still be prepared.
  const db = openDatabase(from);
  db.exec('ALTER TABLE events RENAME TO kept; CREATE VIEW events AS SELECT * FROM kept WHERE abs(-9223372036854775807 - 1)');
  db.close();
  const output = { paint: paintFor(false), isJson: true, line: () => undefined, problem: () => undefined };
  const copied = copyLogTo({ from, to, stream: [STREAM], ...(verifyOnly && { verifyOnly }) }, output);
  await expect(copied).rejects.toMatchObject({ name: 'CommandFailed', exitCode: 1, message: expect.stringMatching(message) });
  await expect(copied).rejects.toThrow(/^the event log cannot be read: /);
  expect(existsSync(to)).toBe(false);
});

const progressOn = (isTerminal: boolean) => {
  const written: string[] = [];
  let nowMs = 0;
  const line = new ProgressDisplay({ write: (text) => void written.push(text), isTerminal, nowMs: () => nowMs });
  const at = (ms: number, phase: 'survey' | 'copy', events: number, eventsTotal?: number): void => {
    nowMs = ms;
    line.update((elapsedMs) => progressText({ phase, events, eventsTotal }, elapsedMs), phase);
  };
  return { line, written, at };
};

it('updates one terminal line at most five times per second and erases it at the end', () => {
  const { line, written, at } = progressOn(true);
  at(0, 'copy', 1, 1_000);
  at(199, 'copy', 100, 1_000);
  at(200, 'copy', 250, 1_000);
  at(399, 'copy', 400, 1_000);
  at(400, 'copy', 999, 1_000);
  line.end();
  expect(written).toStrictEqual([
    '\r\u001b[2Kcopying: 250 of 1000 (25 %) events, 1250 events/s',
    '\r\u001b[2Kcopying: 999 of 1000 (99 %) events, 2498 events/s',
    '\r\u001b[2K',
  ]);
});

it('prints a line every ten seconds without a terminal and restarts the count for each phase', () => {
  const { line, written, at } = progressOn(false);
  at(0, 'survey', 1);
  at(9_999, 'survey', 50);
  at(10_000, 'survey', 100);
  at(15_000, 'copy', 1, 200);
  at(25_000, 'copy', 150, 200);
  line.end();
  expect(written).toStrictEqual(['comparing: 100 events, 10 events/s\n', 'copying: 150 of 200 (75 %) events, 15 events/s\n']);
});

const report = (more: Partial<CopyReport> = {}): CopyReport => ({
  outcome: 'equal',
  phase: 'verify',
  appended: 3,
  inspection: {
    isComplete: true,
    categories: new Map([['payment', { streams: 1, events: 5 }]]),
    streams: 1,
    events: 5,
    held: 5,
    leftOut: { streams: 0, events: 0, examples: [] },
    faults: [],
  },
  faults: [],
  hasSourceGrown: false,
  ...more,
});
const fault = (index: number) => ({
  stream: `payment-${index}` as StreamName,
  revision: 2n as Revision,
  kind: 'target-differs' as const,
  text: 'the target holds another event at revision 2',
});
const linesOf = (outcome: Partial<CopyOutcome>, isJson = false): readonly string[] => {
  const lines: string[] = [];
  const output: Output = { paint: paintFor(false), isJson, line: (text = '') => void lines.push(text), problem: () => undefined };
  showCopy({ report: report(), isCopy: true, isWholeLog: true, knownCategories: new Set(['payment']), seconds: 1.25, ...outcome }, output);
  return lines;
};

it('shows the number of copied and verified events and lists the data that a log does not contain', () => {
  const lines = linesOf({});
  expect(lines.slice(0, 3)).toStrictEqual([
    '3 events written in 1.3 s',
    'equal: 5 events of 1 stream, the same on both sides, by every stream’s hash chain',
    '  payment  1 stream, 5 events',
  ]);
  expect(lines[3]).toMatch(/^Cards and sealed texts are not in a log: .*vault and the key ring/);
});

it('shows omitted streams and categories unknown to this release', () => {
  const { inspection } = report();
  const categories = new Map([['refund', { streams: 2, events: 4 }]]);
  const leftOut = { streams: 1, events: 7, examples: ['theirs-1\u001b[2J' as StreamName] };
  const lines = linesOf({ report: report({ inspection: { ...inspection, categories, leftOut } }) });
  expect(lines).toContain('  refund  2 streams, 4 events (not known to this release; copied as it is)');
  expect(lines).toContain('  LEFT OUT, as not of this service: 1 stream with 7 events; for example theirs-1\\u{1b}[2J');
});

it('lists the first twenty differing streams, the number of the others and nothing after it', () => {
  const faults = Array.from({ length: 23 }, (_, index) => fault(index));
  const lines = linesOf({ report: report({ outcome: 'refused', phase: 'survey', appended: 0, faults }) });
  expect(lines[0]).toBe('the target was left as it is: what it holds is not the beginning of what the source holds');
  expect(lines).toContain('  payment-19: the target holds another event at revision 2');
  expect(lines.at(-1)).toBe('  and 3 more; --json names them');
});

it('shows how to resume a stopped copy and warns that a partial copy is read-only', () => {
  expect(linesOf({ report: report({ outcome: 'stopped', phase: 'copy' }) })[1]).toContain('the same command again goes on from there');
  expect(linesOf({ report: report({ outcome: 'stopped' }) })[1]).toContain('--verify-only');
  expect(linesOf({ isWholeLog: false })).toContainEqual(expect.stringContaining('no service may write to it'));
});

it('prints one JSON object with --json', () => {
  const [line = '', ...more] = linesOf({ report: report({ outcome: 'differs', faults: [fault(1)] }) }, true);
  expect(more).toStrictEqual([]);
  expect(JSON.parse(line)).toStrictEqual({
    outcome: 'differs',
    phase: 'verify',
    appended: 3,
    streams: 1,
    events: 5,
    held: 5,
    seconds: 1.25,
    categories: [{ category: 'payment', isKnown: true, streams: 1, events: 5 }],
    leftOut: { streams: 0, events: 0, examples: [] },
    hasSourceGoneOn: false,
    faults: [{ stream: 'payment-1', revision: '2', kind: 'target-differs', text: 'the target holds another event at revision 2' }],
  });
});

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;
const NAME = 'inv-1' as ClientOrderId;

const log = new MemoryEventStore(new VirtualClock());
const writer = new ChainedWriter(log);
const select = (options: Partial<SelectionOptions>) => selectedStreams(log, { stream: [], ...options });
const failed = (exitCode: number, message: string) => ({ name: 'CommandFailed', exitCode, message });

const writeOrder = async (
  merchant: MerchantLogin,
  clientOrderId: ClientOrderId,
  orderId = `p0sample0${merchant}xr`,
): Promise<NonEmpty<NewEvent>> => {
  const order = sampleOrder({ merchant, clientOrderId, orderId: orderId as OrderId });
  const stream = paymentStream(merchant, clientOrderId);
  const envelope = { correlation: 's', causation: 's', actor: merchant, merchant, commandId: 'c', recordedAt: ACCEPTED_AT };
  const events = paymentCodec.encode([{ type: 'OrderAccepted', data: order }], stream, 'no_stream', envelope);
  await log.append(stream, 'no_stream', events);
  return events;
};

beforeAll(async () => {
  for (const merchant of [ACME, OTHER]) await writeOrder(merchant, NAME);
});

it('selects the whole log if no order or stream is given', async () => {
  await expect(select({})).resolves.toBe('all');
});

it('rejects a client_orderid shared by two merchants with exit code 2 if no merchant is given', async () => {
  const message = expect.stringContaining(
    '--order: "inv-1" names 2 orders: orderid p0sample0acmexr (client_orderid inv-1 of acme), ',
  ) as string;
  await expect(select({ order: NAME })).rejects.toMatchObject(failed(2, message));
  await expect(select({ order: NAME, merchant: OTHER })).resolves.toStrictEqual([
    paymentStream(OTHER, NAME),
    erasureStream(paymentStream(OTHER, NAME)),
  ]);
});

it('rejects a name that matches an orderid and a client_orderid with exit code 2 unless its kind is given', async () => {
  const shared = '1048506000' as ClientOrderId;
  const named = 'inv-of-a-number' as ClientOrderId;
  await writeOrder(ACME, named, shared);
  await writeOrder(OTHER, shared);
  const message = expect.stringContaining('--order: "1048506000" names 2 orders: ') as string;
  await expect(select({ order: shared })).rejects.toMatchObject(failed(2, message));
  await expect(select({ orderid: shared })).resolves.toContain(paymentStream(ACME, named));
  await expect(select({ clientOrderid: shared })).resolves.toContain(paymentStream(OTHER, shared));
  await expect(select({ order: shared, orderid: shared })).rejects.toMatchObject(failed(2, '--order and --orderid exclude each other'));
});

it('rejects an order that contains an event unknown to this release, exit code 1', async () => {
  const named = 'inv-of-later' as ClientOrderId;
  const stream = paymentStream(ACME, named);
  const [accepted] = await writeOrder(ACME, named);
  const later = chainedEvents(stream, { revision: 0n as Revision, hash: hashOf(accepted) }, 1, 'request', 'content');
  await log.append(stream, 0n as Revision, later.events);
  await expect(select({ order: named })).rejects.toMatchObject(
    failed(1, '--order: "inv-of-later" holds an event that this release cannot read, so its streams are not known; --stream names them'),
  );
  await expect(select({ stream: [stream] })).resolves.toStrictEqual([stream]);
});

it('rejects --order combined with --stream, exit code 2', async () => {
  const stream = [paymentStream(ACME, NAME)];
  await expect(select({ order: NAME, merchant: ACME, stream })).rejects.toMatchObject(failed(2, '--order and --stream exclude each other'));
});

it('rejects more than 60 distinct streams with exit code 2 and ignores duplicates', async () => {
  const names = Array.from({ length: SELECTED_STREAMS_MAX + 1 }, (_, index) => `payment-${index}` as StreamName);
  for (const name of names) await writer.write(name);
  const most = names.slice(1);
  await expect(select({ stream: [...most, ...most] })).resolves.toStrictEqual(most);
  await expect(select({ stream: names })).rejects.toMatchObject(failed(2, '61 streams: at most 60 at once'));
});
