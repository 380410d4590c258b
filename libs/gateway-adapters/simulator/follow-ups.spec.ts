import { openDatabase } from '@app/databases/sqlite';
import { systemIds, type AttemptKey, type GateAlias, type Instant, type OrderId } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import type { FollowUpAnswer, FollowUpRequest } from '../contract';
import { FaultsOnDemand } from './faults';
import { LEDGER_MIGRATIONS } from './ledger/ledger.schema';
import { openSimulatorLedger, type SimulatorLedger } from './ledger/ledger';
import { readLedger, type LedgerReader } from './ledger/ledger-reader';
import type { SimulatorSettings } from './settings.schema';
import { SimulatorGate } from './simulator-gate';
import { chargeRequest, gateSettings, USD } from './testing/charges';
import { ledgerFolder } from './testing/ledger-folder';

const folder = ledgerFolder();
const clock = new VirtualClock();
const faults = new FaultsOnDemand(clock);
let ledger: SimulatorLedger;
let reader: LedgerReader;
const gateWith = (settings: Partial<SimulatorSettings> = {}): SimulatorGate =>
  new SimulatorGate({
    settings: gateSettings(settings),
    bins: [],
    clock,
    ledger,
    authenticationPageUrl: (key) => `https://g/${key}`,
    faults,
  });
beforeAll(async () => {
  ledger = await openSimulatorLedger(folder.path);
  reader = readLedger(folder.path);
});
afterAll(async () => {
  reader.close();
  await ledger.close();
  folder.remove();
});

interface Approved {
  readonly gate: SimulatorGate;
  readonly orderId: OrderId;
  follow(asked: 'capture' | 'refund' | 'void', minor?: bigint, more?: Partial<FollowUpRequest>): Promise<FollowUpAnswer>;
  inquire(): ReturnType<SimulatorGate['inquire']>;
  violations(): readonly (string | undefined)[];
}

const approved = async (operation: 'charge' | 'authorise' | 'verify', gate = gateWith()): Promise<Approved> => {
  const request = chargeRequest({ cvvDigits: '123' });
  const answer = await gate[operation](request);
  if (answer.kind !== 'approved') throw new Error(`the simulator says ${answer.kind}`);
  const { orderId, merchant, endpointId } = request;
  let newest = request.key;
  return {
    gate,
    orderId,
    follow: (asked, minor = 1_000n, more = {}) => {
      newest = more.key ?? (systemIds.next() as AttemptKey);
      return gate[asked]({ key: newest, original: request.key, orderId, merchant, endpointId, amount: { minor, currency: USD }, ...more });
    },
    inquire: () => gate.inquire({ ...request, key: newest }),
    violations: () => reader.violations().flatMap((one) => (one.orderId === orderId ? [one.violation] : [])),
  };
};
const refused = { kind: 'not-asked', cause: 'refused-by-gate' };

describe('an authorisation and a verification at the simulator', () => {
  it('are answered like a charge and recorded under their own operation [W455]', async () => {
    const { orderId } = await approved('authorise');
    const { orderId: verified } = await approved('verify');
    expect(reader.transactions(orderId)).toMatchObject([{ operation: 'authorise', amount: { minor: 1_000n } }]);
    expect(reader.transactions(verified)).toMatchObject([{ operation: 'verify', amount: { minor: 0n, currency: USD } }]);
    expect(reader.approvedChargesByOrder().get(verified)).toBe(1);
    const kinds = reader
      .requests()
      .filter((one) => one.orderId === verified)
      .map(({ kind }) => kind);
    expect(kinds).toEqual(['verify']);
  });

  it.each([
    ['116', { kind: 'declined', code: 116 }],
    ['217', { kind: 'unknown' }],
  ])('are both decided by the CVV: %s [W446]', async (cvvDigits, answer) => {
    const { amount: _, ...request } = chargeRequest({ cvvDigits });
    expect(await gateWith().verify(request)).toMatchObject(answer);
    expect(await gateWith().authorise(chargeRequest({ cvvDigits }))).toMatchObject(answer);
  });

  it('without a CVV are approved if there is no amount, and otherwise decided by the amount', async () => {
    const { amount: _, ...request } = chargeRequest({ minor: 1n });
    expect(await gateWith().verify(request)).toMatchObject({ kind: 'approved' });
    expect(await gateWith().authorise(chargeRequest({ minor: 1n }))).toMatchObject({ kind: 'declined', code: 101 });
  });

  it('require authentication on a 3-D Secure gate', async () => {
    const gate = gateWith({ alias: 'sim-3ds' as GateAlias, threeDSecure: true });
    const payerReturnUrl = 'https://gateway.example/return';
    for (const ask of ['authorise', 'verify'] as const) {
      const request = chargeRequest({ cvvDigits: '321', payerReturnUrl });
      expect((await gate[ask](request)).kind).toBe('payer-needed');
      expect(await gate.complete(request, new Map([['password', 'hint']]))).toMatchObject({ kind: 'approved' });
    }
  });
});

describe('a follow-up at the simulator', () => {
  it('captures an authorisation only once', async () => {
    const order = await approved('authorise');
    const answer = await order.follow('capture', 600n);
    expect(answer).toMatchObject({ kind: 'approved', transactionId: `PNTEST-${order.orderId}` });
    expect(await order.inquire()).toEqual(answer);
    expect(order.violations()).toEqual([]);
    expect(await order.follow('capture', 1n)).toEqual(refused);
    expect(await order.inquire()).toEqual({ kind: 'not-found' });
    expect(order.violations()).toEqual(['captured-twice']);
    expect(reader.followUps(order.orderId)).toMatchObject([{ operation: 'capture', amount: { minor: 600n, currency: USD } }]);
  });

  it('can be requested again after a decline', async () => {
    const order = await approved('authorise');
    expect(await order.follow('capture', 916n)).toMatchObject({ kind: 'declined', code: 116 });
    expect(await order.follow('capture', 900n)).toMatchObject({ kind: 'approved' });
    expect(order.violations()).toEqual([]);
  });

  it('returns at most the charged amount in several parts, including parts with an unknown outcome', async () => {
    const order = await approved('charge');
    expect(await order.follow('refund', 617n)).toEqual({ kind: 'unknown', cause: 'gate-undecided' });
    expect(await order.follow('refund', 384n)).toEqual(refused);
    expect(order.violations()).toEqual(['returned-above-taken']);
    expect(await order.follow('refund', 383n)).toMatchObject({ kind: 'approved' });
  });

  it.each([
    [217n, 'approved'],
    [218n, 'declined'],
  ])('of %s minor units is unknown at first and later %s [W448]', async (minor, kind) => {
    const order = await approved('charge');
    expect(await order.follow('refund', minor)).toEqual({ kind: 'unknown', cause: 'gate-undecided' });
    await clock.advance(1_500);
    expect(await order.inquire()).toMatchObject({ kind });
  });

  it.each([
    [216n, 116],
    [201n, 101],
    [219n, 119],
    [209n, 209],
  ])('of %s minor units is declined with %d [W448]', async (minor, code) => {
    const order = await approved('charge');
    expect(await order.follow('refund', minor)).toMatchObject({ kind: 'declined', code });
  });

  it('voids a charge only until midnight UTC after its approval', async () => {
    const order = await approved('charge');
    expect(order.gate.voidableUntil(Date.UTC(2024, 0, 1, 5) as Instant)).toBe(Date.UTC(2024, 0, 2));
    expect(await order.follow('void')).toMatchObject({ kind: 'approved' });
    expect(await order.follow('void')).toEqual(refused);
    expect(order.violations()).toEqual(['follow-up-misplaced']);
    const late = await approved('charge');
    await clock.advance(86_460_000);
    expect(await late.follow('void')).toEqual(refused);
    expect(late.violations()).toEqual(['voided-after-clearing']);
  });

  it('declines a void that arrives within a minute after midnight', async () => {
    const order = await approved('charge');
    await clock.advance(order.gate.voidableUntil(clock.now()) - clock.now() + 1_000);
    expect(await order.follow('void')).toMatchObject({ kind: 'declined', code: 100 });
    expect(order.violations()).toEqual([]);
    expect(await order.follow('refund')).toMatchObject({ kind: 'approved' });
  });

  it('with a repeated key gets the first answer and is recorded as a violation', async () => {
    const order = await approved('charge');
    const key = systemIds.next() as AttemptKey;
    const answers = await Promise.all(Array.from({ length: 5 }, () => order.follow('refund', 100n, { key })));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(order.violations()).toEqual(Array.from({ length: 4 }, () => 'follow-up-repeated'));
    expect(reader.followUps(order.orderId)).toHaveLength(1);
  });

  it('is accepted only for an approved transaction of the same order and gate', async () => {
    const order = await approved('charge');
    const unheard = { original: systemIds.next() as AttemptKey };
    expect(await order.follow('refund', 1n, unheard)).toEqual(refused);
    expect(await order.follow('refund', 1n, { orderId: chargeRequest().orderId })).toEqual(refused);
    const elsewhere = await approved('charge', gateWith({ alias: 'sim-b' as GateAlias }));
    const [other] = reader.transactions(elsewhere.orderId);
    if (other === undefined) throw new Error('no transaction');
    expect(await order.follow('refund', 1n, { original: other.key })).toEqual(refused);
    expect(await order.follow('refund', 1n, { key: other.key })).toEqual(refused);
    expect(order.violations()).toEqual(['original-unknown', 'original-unknown', 'key-at-another-gate']);
    const declined = chargeRequest({ cvvDigits: '116' });
    await order.gate.charge(declined);
    const { key: original, orderId } = declined;
    expect(await order.follow('refund', 1n, { original, orderId })).toEqual(refused);
  });

  it('is declined or not asked if the gate is configured so', async () => {
    const order = await approved('charge');
    const more = { original: reader.transactions(order.orderId)[0]?.key ?? ('' as AttemptKey), key: systemIds.next() as AttemptKey };
    const request = { ...chargeRequest(), orderId: order.orderId, ...more };
    expect(await gateWith({ simulate: { decline: 100 } }).refund(request)).toMatchObject({ kind: 'declined', code: 100 });
    const away = gateWith({ simulate: { unavailable: true } });
    for (const asked of ['capture', 'refund', 'void'] as const) {
      expect(await away[asked](request)).toEqual({ kind: 'not-asked', cause: 'unavailable' });
    }
    for (const asked of ['charge', 'authorise', 'verify'] as const) {
      expect(await away[asked](request)).toEqual({ kind: 'not-asked', cause: 'unavailable' });
    }
  });

  it('is affected by faults for its operation', async () => {
    const order = await approved('authorise');
    faults.strike('capture', { kind: 'answer-lost' });
    expect(await order.follow('capture')).toEqual({ kind: 'unknown', cause: 'connection-lost' });
    expect(await order.inquire()).toMatchObject({ kind: 'approved' });
    faults.strike('return', { kind: 'request-lost' });
    expect(await order.follow('refund')).toEqual({ kind: 'unknown', cause: 'timeout' });
    expect(await order.inquire()).toEqual({ kind: 'not-found' });
  });
});

describe('a simulator ledger of the previous release', () => {
  it('is migrated, and its charges can be refunded', async () => {
    const old = ledgerFolder();
    const db = openDatabase(old.path);
    LEDGER_MIGRATIONS[0]?.(db);
    db.exec('PRAGMA user_version=1');
    const { orderId, merchant, endpointId, key, amount } = chargeRequest();
    db.prepare(
      `INSERT INTO transactions (key, gate, order_id, merchant, amount_minor, currency, last_four, status, created_at, decided_at)
       VALUES (?, 'sim-a', ?, ?, '1000', 'USD', '1111', 'approved', 1, 1)`,
    ).run(key, orderId, merchant);
    db.close();
    const again = await openSimulatorLedger(old.path);
    const settings = gateSettings();
    const gate = new SimulatorGate({ settings, bins: [], clock, ledger: again, authenticationPageUrl: (one) => `https://g/${one}` });
    const request = { key: systemIds.next() as AttemptKey, original: key, orderId, merchant, endpointId, amount };
    expect(await gate.refund(request)).toMatchObject({ kind: 'approved' });
    await again.close();
    const reader = readLedger(old.path);
    expect(reader.transactions()).toMatchObject([{ operation: 'charge' }]);
    reader.close();
    old.remove();
  });
});
