import { systemIds, type AttemptKey, type GateAlias } from '@app/kernel';
import { timeOver, VirtualClock } from '@app/testing';
import type { CardAtGate, RebillRequest, RegisterRequest } from '../contract';
import { openSimulatorLedger, type SimulatorLedger } from './ledger/ledger';
import { readLedger, type LedgerReader } from './ledger/ledger-reader';
import type { SimulatorSettings } from './settings.schema';
import { SimulatorGate } from './simulator-gate';
import { chargeRequest, gateSettings } from './testing/charges';
import { ledgerFolder } from './testing/ledger-folder';

const folder = ledgerFolder();
const clock = new VirtualClock();
let ledger: SimulatorLedger;
let reader: LedgerReader;
beforeAll(async () => {
  ledger = await openSimulatorLedger(folder.path);
  reader = readLedger(folder.path);
});
afterAll(async () => {
  reader.close();
  await ledger.close();
  folder.remove();
});

const gateWith = (settings: Partial<SimulatorSettings>): SimulatorGate =>
  new SimulatorGate({
    settings: gateSettings(settings),
    bins: [],
    clock,
    ledger,
    authenticationPageUrl: (key) => `https://gateway.example/${key}`,
  });
const rebillOf = (by: CardAtGate, more: Partial<RebillRequest> = {}): RebillRequest => {
  const { card: _card, payerReturnUrl: _noPayer, ...request } = chargeRequest();
  return { ...request, key: systemIds.next() as AttemptKey, transactionType: 'sale', by, ...more };
};
const REFUSED = { kind: 'not-asked', cause: 'refused-by-gate' };

describe('a simulator gate that issues tokens with approvals', () => {
  it('issues a token for an approved card, but not with a decline or a charge by token', async () => {
    const gate = gateWith({ tokens: 'approval' });
    const request = chargeRequest({ cvvDigits: '123' });
    const token = `SIMTOKEN-${request.key}`;
    expect(await gate.charge(request)).toMatchObject({ kind: 'approved', cardToken: token });
    expect(await gate.inquire(request)).toMatchObject({ cardToken: token });
    expect(await gate.charge(chargeRequest({ cvvDigits: '116' }))).not.toHaveProperty('cardToken');
    const rebill = rebillOf({ kind: 'token', token }, { transactionType: 'preauth' });
    expect(await gate.rebilling?.rebill(rebill, timeOver())).toMatchObject({ kind: 'not-asked' });
    const answer = await gate.rebilling?.rebill(rebill, { withinMs: 1_000, signal: new AbortController().signal });
    expect(answer).toMatchObject({ kind: 'approved' });
    expect(answer).not.toHaveProperty('cardToken');
    expect(reader.transactions(rebill.orderId)).toMatchObject([{ operation: 'authorise', chargedBy: 'token', lastFour: '1111' }]);
    expect(gate.registering).toBeUndefined();
  });

  it('decides a charge by token by its amount, as without a CVV', async () => {
    const gate = gateWith({ tokens: 'approval' });
    const request = chargeRequest({ cvvDigits: '123' });
    await gate.charge(request);
    const by = { kind: 'token', token: `SIMTOKEN-${request.key}` } as const;
    const { amount } = request;
    const rebill = rebillOf(by, { amount: { ...amount, minor: 1_016n } });
    expect(await gate.rebilling?.rebill(rebill, { withinMs: 1_000, signal: new AbortController().signal })).toMatchObject({
      kind: 'declined',
      code: 116,
    });
  });
});

describe('a simulator gate that charges by network transaction id', () => {
  it('charges by the id from another gate and refuses a token', async () => {
    const limit = { withinMs: 1_000, signal: new AbortController().signal };
    const told = gateWith({ networkTransactions: true });
    const other = gateWith({ alias: 'sim-b' as GateAlias, networkTransactions: true });
    const request = chargeRequest({ cvvDigits: '123' });
    const answer = await told.charge(request);
    const networkTransactionId = `SIMNET:sim-a:${request.key}`;
    expect(answer).toMatchObject({ kind: 'approved', networkTransactionId });
    expect(other.rebilling?.means).toEqual(['network-transaction']);
    const rebill = rebillOf({ kind: 'network-transaction', networkTransactionId });
    expect(await other.rebilling?.rebill(rebill, limit)).toMatchObject({ kind: 'approved' });
    expect(reader.transactions(rebill.orderId)).toMatchObject([{ gate: 'sim-b', chargedBy: 'network-transaction' }]);
    expect(await other.rebilling?.rebill(rebillOf({ kind: 'token', token: `SIMTOKEN-${request.key}` }), limit)).toEqual(REFUSED);
    for (const wrong of ['SIMNET:', 'SIMNET:sim-a:no-such-key', 'MCC1'])
      expect(await other.rebilling?.rebill(rebillOf({ kind: 'network-transaction', networkTransactionId: wrong }), limit)).toEqual(REFUSED);
  });
});

describe('a simulator gate that issues tokens on request', () => {
  it('issues the token of an approved transaction only for the same card, and records no request', async () => {
    const gate = gateWith({ tokens: 'registration' });
    const { registering } = gate;
    if (registering === undefined) throw new Error('it gives tokens');
    const request = chargeRequest({ cvvDigits: '123' });
    expect(await gate.charge(request)).not.toHaveProperty('cardToken');
    const named = (lastFour: string): RegisterRequest => ({ ...request, card: { bin: '444433', lastFour } });
    const limit = { withinMs: 1_000, signal: new AbortController().signal };
    expect(await registering.register(named('1111'), limit)).toEqual({ kind: 'registered', cardToken: `SIMTOKEN-${request.key}` });
    expect(await registering.register(named('1112'), limit)).toEqual({ kind: 'refused', cause: 'other-card' });
    expect(await registering.register({ ...named('1111'), key: 'none' as AttemptKey }, limit)).toEqual({
      kind: 'refused',
      cause: 'refused-by-gate',
    });
    expect(await registering.register(named('1111'), timeOver())).toEqual({ kind: 'not-asked', cause: 'unavailable' });
    expect(reader.requests().filter(({ key }) => key === request.key)).toHaveLength(1);
  });
});
