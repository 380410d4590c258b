import { openDatabase } from '@app/databases/sqlite';
import { Secret, systemIds, type AttemptKey, type Currency, type GateAlias } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { FaultsOnDemand } from './faults';
import { createFollowUps } from './ledger/follow-up.schema';
import { openSimulatorLedger, type SimulatorLedger } from './ledger/ledger';
import { readLedger, type LedgerReader } from './ledger/ledger-reader';
import { LEDGER_MIGRATIONS } from './ledger/ledger.schema';
import type { SimulatorSettings } from './settings.schema';
import { SimulatorGate } from './simulator-gate';
import { CARD, chargeRequest, DESTINATION, gateSettings, RETURN_URL, transferRequest, USD } from './testing/charges';
import { ledgerFolder } from './testing/ledger-folder';

const folder = ledgerFolder();
const clock = new VirtualClock();
const faults = new FaultsOnDemand(clock);
const EUR = 'EUR' as Currency;
const usd = (minor: bigint) => ({ minor, currency: USD });
let ledger: SimulatorLedger;
let reader: LedgerReader;
const gateOn = (opened: SimulatorLedger, settings: Partial<SimulatorSettings> = {}): SimulatorGate =>
  new SimulatorGate({
    settings: gateSettings(settings),
    bins: [],
    clock,
    ledger: opened,
    authenticationPageUrl: (key) => `https://gateway.example/${key}`,
    faults,
  });
const gateWith = (settings: Partial<SimulatorSettings> = {}): SimulatorGate => gateOn(ledger, settings);
beforeAll(async () => {
  ledger = await openSimulatorLedger(folder.path);
  reader = readLedger(folder.path);
});
afterAll(async () => {
  reader.close();
  await ledger.close();
  folder.remove();
});

const quoteRequest = (minor: bigint) => {
  const { merchant, endpointId } = chargeRequest();
  return { merchant, endpointId, amount: usd(minor), sourceBin: '444433', destinationBin: '555555' };
};
const verifyRequest = (cvvDigits: string, lastTwo = '11') => {
  const { amount: _, ...request } = chargeRequest({ cvvDigits, payerReturnUrl: RETURN_URL });
  return { ...request, card: new Secret({ ...CARD, number: `${CARD.number.slice(0, -2)}${lastTwo}` }) };
};
const violations = (key: AttemptKey) => reader.violations().flatMap((one) => (one.key === key ? [one.violation] : []));

describe('a transfer at the simulator', () => {
  it('is recorded with the last digits of both cards and the commission, but without card numbers [W456]', async () => {
    const request = transferRequest({ cvvDigits: '123' });
    expect(await gateWith().transfer(request)).toMatchObject({
      kind: 'approved',
      transactionId: `PNTEST-${request.orderId}`,
      commission: usd(30n),
    });
    const stands = { operation: 'transfer', amount: usd(1_000n), lastFour: '1111', destinationLastFour: '4444', commissionMinor: 30n };
    expect(reader.transactions(request.orderId)).toMatchObject([stands]);
    const db = openDatabase(folder.path, { readOnly: true });
    const cells = db
      .prepare('SELECT * FROM transactions')
      .all()
      .flatMap((row) => Object.values(row as Record<string, unknown>).map(String));
    db.close();
    expect(cells).toContain('4444');
    expect(cells.filter((cell) => cell.includes(DESTINATION) || cell.includes(CARD.number))).toEqual([]);
  });

  it('keeps its commission after a rate change and for a repeated request', async () => {
    const request = transferRequest({ minor: 10_000n, cvvDigits: '123' });
    const answer = await gateWith().transfer(request);
    const dearer = gateWith({ commission: { ratePerTenThousand: 1_000, minCentis: 0 } });
    expect(await dearer.quote(quoteRequest(10_000n))).toEqual({ kind: 'quoted', commission: usd(1_000n) });
    expect(await dearer.inquire(request)).toEqual(answer);
    expect(await dearer.transfer({ ...request, amount: usd(5n), cvv: new Secret('209') })).toEqual(answer);
    expect(answer).toMatchObject({ commission: usd(150n) });
    expect(violations(request.key)).toEqual(['charge-repeated']);
  });

  it.each([
    ['217', { kind: 'approved', commission: usd(30n) }],
    ['218', { kind: 'declined', code: 100 }],
  ])('is unknown at first with CVV %s and resolved later [W456]', async (cvvDigits, resolved) => {
    const request = transferRequest({ cvvDigits });
    expect(await gateWith().transfer(request)).toEqual({ kind: 'unknown', cause: 'gate-undecided' });
    await clock.advance(1_500);
    const answer = await gateWith().inquire(request);
    expect(answer).toMatchObject(resolved);
    expect('commission' in answer).toBe(answer.kind === 'approved');
  });

  it('is declined or not asked by configuration, and an unavailable gate gives no quote [W456]', async () => {
    const declining = gateWith({ simulate: { decline: 100 } });
    expect(await declining.transfer(transferRequest({ cvvDigits: '123' }))).toMatchObject({ kind: 'declined', code: 100 });
    expect(await declining.quote(quoteRequest(1_000n))).toEqual({ kind: 'quoted', commission: usd(30n) });
    const away = gateWith({ simulate: { unavailable: true } });
    const request = transferRequest({ cvvDigits: '123' });
    expect(await away.transfer(request)).toEqual({ kind: 'not-asked', cause: 'unavailable' });
    expect(await away.quote(quoteRequest(1_000n))).toEqual({ kind: 'not-quoted' });
    expect(reader.requests().filter(({ key }) => key === request.key)).toEqual([]);
  });

  it('is affected by faults for transfers', async () => {
    const request = transferRequest({ cvvDigits: '123' });
    faults.strike('transfer', { kind: 'answer-lost' });
    expect(await gateWith().transfer(request)).toEqual({ kind: 'unknown', cause: 'connection-lost' });
    expect(await gateWith().inquire(request)).toMatchObject({ kind: 'approved', commission: usd(30n) });
  });

  it('cannot be captured, returned or voided', async () => {
    const { key: original, orderId, merchant, endpointId, ...request } = transferRequest({ cvvDigits: '123' });
    const gate = gateWith();
    await gate.transfer({ key: original, orderId, merchant, endpointId, ...request });
    for (const asked of ['refund', 'void', 'capture'] as const) {
      const key = systemIds.next() as AttemptKey;
      const followUp = { key, original, orderId, merchant, endpointId, amount: usd(1_000n) };
      expect(await gate[asked](followUp)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
      expect(violations(key)).toEqual(['follow-up-misplaced']);
    }
  });
});

describe('the random sum at the simulator', () => {
  it.each([
    ['00', 100n],
    ['07', 107n],
    ['99', 199n],
  ])('for a card ending in %s is %s minor units in the requested currency, also at an inquiry [W364, W368]', async (lastTwo, minor) => {
    const gate = gateWith({ currencies: [USD, EUR] });
    const request = { ...verifyRequest('123', lastTwo), currency: EUR };
    const answer = await gate.verify(request);
    expect(answer).toMatchObject({ kind: 'approved', randomSum: { minor, currency: EUR } });
    expect(await gate.inquire(request)).toEqual(answer);
    expect(await gate.verify({ ...request, ...verifyRequest('116', '42'), key: request.key })).toEqual(answer);
    expect(reader.transactions(request.orderId)).toMatchObject([{ amount: { minor: 0n, currency: EUR }, randomSumMinor: minor }]);
  });

  it('uses the gate’s first currency by default, and is absent until authentication succeeds', async () => {
    const gate = gateWith({ alias: 'sim-3ds' as GateAlias, currencies: [EUR, USD], threeDSecure: true });
    const request = verifyRequest('321');
    expect(await gate.verify(request)).toMatchObject({ kind: 'payer-needed' });
    const answer = await gate.complete(request, new Map([['password', 'hint']]));
    expect(answer).toMatchObject({ kind: 'approved', randomSum: { minor: 111n, currency: EUR } });
    const failed = verifyRequest('321');
    await gate.verify(failed);
    expect('randomSum' in (await gate.complete(failed, new Map([['password', 'no']])))).toBe(false);
  });
});

describe('a ledger of a release without transfers', () => {
  it('is migrated, keeps its charges and accepts transfers', async () => {
    const old = ledgerFolder();
    const db = openDatabase(old.path);
    LEDGER_MIGRATIONS[0]?.(db);
    createFollowUps(db);
    db.exec('PRAGMA user_version=2');
    const sent = chargeRequest();
    const { orderId, merchant, key } = sent;
    db.prepare(
      `INSERT INTO transactions (key, gate, operation, order_id, merchant, amount_minor, currency, last_four, status, created_at, decided_at)
       VALUES (?, 'sim-a', 'verify', ?, ?, '0', 'USD', '1111', 'approved', 1, 1)`,
    ).run(key, orderId, merchant);
    db.close();
    const again = await openSimulatorLedger(old.path);
    const gate = gateOn(again);
    const answer = await gate.inquire(sent);
    expect(answer).toMatchObject({ kind: 'approved', processedAt: 1 });
    expect('randomSum' in answer).toBe(false);
    expect(await gate.transfer(transferRequest({ cvvDigits: '123' }))).toMatchObject({ kind: 'approved', commission: usd(30n) });
    await again.close();
    const reader = readLedger(old.path);
    expect(reader.transactions(orderId)).toMatchObject([{ operation: 'verify', amount: usd(0n) }]);
    reader.close();
    old.remove();
  });
});
