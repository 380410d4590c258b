import { Secret, type AttemptKey, type Currency, type GateAlias } from '@app/kernel';
import { openDatabase } from '@app/databases/sqlite';
import { eventually, VirtualClock } from '@app/testing';
import type { ChargeRequest } from '../contract';
import { acquirerReferences } from './answers';
import { FaultsOnDemand, type Fault } from './faults';
import { openSimulatorLedger, type SimulatorLedger } from './ledger/ledger';
import { readLedger, type LedgerReader } from './ledger/ledger-reader';
import type { SimulatorSettings } from './settings.schema';
import { SimulatorGate, type SimulatorParts } from './simulator-gate';
import { CARD, chargeRequest, gateSettings, RETURN_URL, USD } from './testing/charges';
import { ledgerFolder } from './testing/ledger-folder';

const folder = ledgerFolder();
const clock = new VirtualClock();
const faults = new FaultsOnDemand(clock);
const pageUrl = (key: AttemptKey): string => `https://gateway.example/simulator/${key}`;
const gateWith = (settings: Partial<SimulatorSettings>, more: Partial<SimulatorParts> = {}): SimulatorGate =>
  new SimulatorGate({ settings: gateSettings(settings), bins: [], clock, ledger, authenticationPageUrl: pageUrl, faults, ...more });

let ledger: SimulatorLedger;
let reader: LedgerReader;
let plain: SimulatorGate;
let secure: SimulatorGate;
beforeAll(async () => {
  ledger = await openSimulatorLedger(folder.path);
  reader = readLedger(folder.path);
  plain = gateWith({});
  secure = gateWith({ alias: 'sim-3ds' as GateAlias, threeDSecure: true });
});
afterAll(async () => {
  reader.close();
  await ledger.close();
  folder.remove();
});

const receipt = ({ key, orderId }: ChargeRequest, gate = plain) => {
  const { approvalCode: _, ...references } = acquirerReferences(gate.profile.alias, key, orderId);
  return { ...references, processedAt: clock.now() };
};
const approvalOf = (request: ChargeRequest, gate = plain) => {
  const { approvalCode } = acquirerReferences(gate.profile.alias, request.key, request.orderId);
  return { kind: 'approved', approvalCode, ...receipt(request, gate) };
};
const violationsOf = ({ key }: ChargeRequest): readonly (string | undefined)[] =>
  reader
    .violations()
    .filter((request) => request.key === key)
    .map(({ violation }) => violation);
const requestsOf = ({ key }: ChargeRequest): readonly string[] =>
  reader
    .requests()
    .filter((request) => request.key === key)
    .map(({ kind }) => kind);

describe('the simulator gate', () => {
  it('approves with acquirer references and records the transaction', async () => {
    const request = chargeRequest({ cvvDigits: '123' });
    expect(await plain.charge(request)).toEqual(approvalOf(request));
    expect(reader.transactions(request.orderId)).toEqual([
      {
        gate: 'sim-a',
        key: request.key,
        operation: 'charge',
        orderId: request.orderId,
        merchant: 'acme',
        amount: { minor: 1_000n, currency: USD },
        lastFour: '1111',
        createdAt: clock.now(),
        state: { status: 'approved', decidedAt: clock.now() },
      },
    ]);
    expect(requestsOf(request)).toEqual(['charge']);
  });

  it('declines, with advice for some codes', async () => {
    const poor = chargeRequest({ cvvDigits: '116' });
    const advice = 'There is not enough money on the card. Please top it up or use another card.';
    expect(await plain.charge(poor)).toEqual({ kind: 'declined', code: 116, advice, ...receipt(poor) });
    const stolen = chargeRequest({ cvvDigits: '209' });
    expect(await plain.charge(stolen)).toEqual({ kind: 'declined', code: 209, ...receipt(stolen) });
  });

  it.each([
    ['217', 'approved'],
    ['218', 'declined'],
  ])('leaves CVV %s unknown at first and answers a later inquiry with %s', async (cvvDigits, kind) => {
    const request = chargeRequest({ cvvDigits });
    const { processedAt } = receipt(request);
    const undecided = { kind: 'unknown', cause: 'gate-undecided' };
    expect(await plain.charge(request)).toEqual(undecided);
    await clock.advance(1_499);
    expect(await plain.inquire(request)).toEqual(undecided);
    await clock.advance(1);
    expect(await plain.inquire(request)).toMatchObject({ kind, processedAt });
    expect(reader.approvedChargesByOrder().get(request.orderId)).toBe(kind === 'approved' ? 1 : undefined);
  });

  it.each([0, -1, 1.5, Number.NaN, 30_001])('rejects an undecided time of %d ms', (undecidedForMs) => {
    expect(() => gateWith({}, { undecidedForMs })).toThrow(RangeError);
  });

  it('is unavailable and records nothing if it is configured so [W451]', async () => {
    const away = gateWith({ simulate: { unavailable: true } });
    const request = chargeRequest({ cvvDigits: '123' });
    expect(await away.charge(request)).toEqual({ kind: 'not-asked', cause: 'unavailable' });
    expect(await away.complete(request, new Map())).toEqual({ kind: 'not-asked', cause: 'unavailable' });
    expect(await away.inquire(request)).toEqual({ kind: 'unknown', cause: 'connection-lost' });
    expect(requestsOf(request)).toEqual([]);
  });

  it('records a repeated charge as a violation and returns the first answer', async () => {
    const request = chargeRequest({ cvvDigits: '123' });
    const answer = await plain.charge(request);
    await clock.advance(60_000);
    expect(await plain.charge({ ...request, amount: { minor: 5n, currency: USD }, cvv: new Secret('209') })).toEqual(answer);
    expect(requestsOf(request)).toEqual(['charge', 'charge']);
    expect(violationsOf(request)).toEqual(['charge-repeated']);
    expect(reader.transactions(request.orderId)).toHaveLength(1);
  });

  it('records a refused charge and refuses its repetition', async () => {
    const strict = gateWith({ cvvRequired: true });
    const { cvv, ...request } = chargeRequest({ cvvDigits: '123' });
    if (cvv === undefined) throw new Error('a CVV');
    const refused = { kind: 'not-asked', cause: 'refused-by-gate' };
    expect(await strict.charge(request)).toEqual(refused);
    expect(await strict.inquire(request)).toEqual({ kind: 'not-found' });
    expect(await strict.charge({ ...request, cvv })).toEqual(refused);
    expect(await strict.complete(request, new Map([['password', 'hint']]))).toEqual(refused);
    expect(violationsOf(request)).toEqual(['charge-repeated', 'complete-unasked']);
    expect(reader.approvedChargesByOrder().has(request.orderId)).toBe(false);
  });

  it('separates gates in one ledger and records a key sent to two gates as a violation', async () => {
    const other = gateWith({ alias: 'sim-b' as GateAlias });
    const request = chargeRequest({ cvvDigits: '123' });
    await plain.charge(request);
    expect(await other.inquire(request)).toEqual({ kind: 'not-found' });
    expect(await other.charge(request)).toMatchObject({ kind: 'approved' });
    expect(violationsOf(request)).toEqual(['key-at-another-gate']);
    expect(reader.approvedChargesByOrder().get(request.orderId)).toBe(2);
  });

  it('finds issuer data by the first six digits [W210]', () => {
    const facts = { cardType: 'VISA', country: 'USA', bank: 'First Example' };
    const gate = gateWith({}, { bins: [{ bin: '444433', ...facts }] });
    expect(gate.binFacts('444433')).toEqual(facts);
    expect(gate.binFacts('44443333')).toEqual(facts);
    expect(gate.binFacts('444434')).toBeUndefined();
    expect(gate.binFacts('4444')).toBeUndefined();
  });

  it('returns its configured profile', () => {
    const currencies = new Set([USD, 'EUR' as Currency]);
    const { commission: _, ...profile } = gateSettings();
    expect(gateWith({ currencies }).profile).toEqual({ ...profile, currencies: ['USD', 'EUR'], needsTexts: false });
  });
});

describe('the simulator gate with 3-D Secure', () => {
  const returned = (password: string) => new Map([['password', password]]);
  const started = async (): Promise<ChargeRequest> => {
    const request = chargeRequest({ cvvDigits: '321', payerReturnUrl: RETURN_URL });
    expect(await secure.charge(request)).toEqual({
      kind: 'payer-needed',
      page: { action: pageUrl(request.key), fields: { TermUrl: RETURN_URL } },
      transactionId: `PNTEST-${request.orderId}`,
    });
    return request;
  };

  it('approves the right password at the time of the payer’s answer', async () => {
    const request = await started();
    await clock.advance(60_000);
    const answer = await secure.complete(request, returned('hint'));
    expect(answer).toEqual({ ...approvalOf(request, secure), payerAuthentication: 'AUTHENTICATED', eci: '05' });
    expect(await secure.inquire(request)).toEqual(answer);
    expect(requestsOf(request)).toEqual(['charge', 'complete']);
    expect(violationsOf(request)).toEqual([]);
  });

  it.each([[returned('Hint')], [returned('')], [new Map<string, string>()], [new Map([['pass', 'hint']])]])(
    'declines the wrong password %j',
    async (wrong) => {
      const request = await started();
      const declined = { kind: 'declined', code: 110, ...receipt(request, secure), payerAuthentication: 'NOT_AUTHENTICATED' };
      expect(await secure.complete(request, wrong)).toEqual(declined);
    },
  );

  it('records a second completion as a violation and returns the first answer', async () => {
    const request = await started();
    const answer = await secure.complete(request, returned('wrong'));
    await clock.advance(1_000);
    expect(await secure.complete(request, returned('hint'))).toEqual(answer);
    expect(violationsOf(request)).toEqual(['complete-repeated']);
  });

  it('records an unexpected completion as a violation and changes nothing', async () => {
    const request = chargeRequest({ cvvDigits: '116', payerReturnUrl: RETURN_URL });
    const answer = await secure.charge(request);
    expect(await secure.complete(request, returned('hint'))).toEqual(answer);
    const strange = chargeRequest();
    expect(await secure.complete(strange, returned('hint'))).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect([...violationsOf(request), ...violationsOf(strange)]).toEqual(['complete-unasked', 'complete-unasked']);
  });

  it('shows a form to a pending payer, a notice to one who has answered, and nothing for other attempts', async () => {
    const request = await started();
    expect(secure.authenticationPageFor(request.key)?.html).toContain('action="https://gateway.example/paynet/payer/p1?a=1&amp;b=2"');
    await secure.complete(request, returned('hint'));
    expect(secure.authenticationPageFor(request.key)?.html).toContain('You have already answered this request.');
    const other = chargeRequest({ cvvDigits: '123', payerReturnUrl: RETURN_URL });
    await secure.charge(other);
    expect(secure.authenticationPageFor(other.key)).toBeUndefined();
    expect(secure.authenticationPageFor(chargeRequest().key)).toBeUndefined();
    expect(plain.authenticationPageFor(request.key)).toBeUndefined();
  });

  it('completes a pending authentication after 3-D Secure was disabled', async () => {
    const request = await started();
    const now = gateWith({ alias: 'sim-3ds' as GateAlias });
    expect(now.payerAuthentication).toBeUndefined();
    expect(await now.inquire(request)).toMatchObject({ kind: 'payer-needed' });
    expect(await now.complete(request, returned('hint'))).toMatchObject({ kind: 'approved', payerAuthentication: 'AUTHENTICATED' });
  });
});

describe('faults on demand (safety, F1 to F3)', () => {
  const hit = async (fault: Fault): Promise<{ request: ChargeRequest; answer: unknown }> => {
    const request = chargeRequest({ cvvDigits: '123' });
    faults.strike('charge', fault);
    return { request, answer: await plain.charge(request).catch((error: unknown) => error) };
  };

  it('of kind request-lost make the call time out and record nothing', async () => {
    const { request, answer } = await hit({ kind: 'request-lost' });
    expect(answer).toEqual({ kind: 'unknown', cause: 'timeout' });
    expect(requestsOf(request)).toEqual([]);
    expect(await plain.inquire(request)).toEqual({ kind: 'not-found' });
  });

  it('of kind answer-lost lose the answer, which an inquiry returns', async () => {
    const { request, answer } = await hit({ kind: 'answer-lost' });
    expect(answer).toEqual({ kind: 'unknown', cause: 'connection-lost' });
    expect(await plain.inquire(request)).toEqual(approvalOf(request));
  });

  it('of kind late process the charge only after the delay', async () => {
    const { request, answer } = await hit({ kind: 'late', delayMs: 4_000 });
    expect(answer).toEqual({ kind: 'unknown', cause: 'timeout' });
    await clock.advance(3_999);
    expect(await plain.inquire(request)).toEqual({ kind: 'not-found' });
    await clock.advance(1);
    await eventually(async () => (await plain.inquire(request)).kind !== 'not-found');
    expect(await plain.inquire(request)).toEqual(approvalOf(request));
  });

  it('of kind throws raise an error after the charge was recorded', async () => {
    const { request, answer } = await hit({ kind: 'throws' });
    expect(answer).toEqual(new Error('the simulated gate broke off the call'));
    expect(await plain.inquire(request)).toEqual(approvalOf(request));
  });

  it('of kind silent never answer and record nothing, and the next charge is processed', async () => {
    faults.strike('charge', { kind: 'silent' });
    const request = chargeRequest({ cvvDigits: '123' });
    let hasEnded = false;
    void plain.charge(request).finally(() => (hasEnded = true));
    await clock.advance(86_400_000);
    const after = chargeRequest({ cvvDigits: '123' });
    await plain.charge(after);
    expect({ hasEnded, heard: requestsOf(request), next: requestsOf(after) }).toEqual({ hasEnded: false, heard: [], next: ['charge'] });
  });

  it('affect completions and inquiries, each in its own order', async () => {
    const request = chargeRequest({ cvvDigits: '321', payerReturnUrl: RETURN_URL });
    await secure.charge(request);
    faults.strike('complete', { kind: 'answer-lost' });
    faults.strike('inquire', { kind: 'request-lost' });
    expect(await secure.complete(request, new Map([['password', 'hint']]))).toEqual({ kind: 'unknown', cause: 'connection-lost' });
    expect(await secure.inquire(request)).toEqual({ kind: 'unknown', cause: 'timeout' });
    expect(await secure.inquire(request)).toMatchObject({ kind: 'approved', payerAuthentication: 'AUTHENTICATED' });
  });

  it('are rejected above the maximum', () => {
    const full = new FaultsOnDemand(clock);
    for (let count = 0; count < 10_000; count++) full.strike('charge', { kind: 'silent' });
    expect(() => full.strike('charge', { kind: 'silent' })).toThrow(RangeError);
  });
});

it('the ledger contains no CVV and no card number in any cell (safety, I9)', async () => {
  const request = chargeRequest({ cvvDigits: '8642', card: new Secret({ ...CARD, number: '5555555555554444' }) });
  await plain.charge(request);
  const db = openDatabase(folder.path, { readOnly: true });
  const cells = ['requests', 'transactions'].flatMap((table) =>
    db
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .flatMap((row) => Object.values(row as Record<string, unknown>)),
  );
  db.close();
  expect(cells).toContain('4444');
  const kept = cells.map(String).filter((cell) => cell === '8642' || cell.includes('555555') || cell.includes(CARD.number));
  expect(kept).toEqual([]);
});
