import { inspect } from 'node:util';
import { Secret, type Scheduled } from '@app/kernel';
import { VirtualClock, eventually, seededRandom } from '@app/testing';
import {
  DeviceClient,
  type DeviceClientSettings,
  type DeviceSession,
  type Outcome,
  type SaleOrder,
  type TransferOrder,
  type VerificationOrder,
} from '.';
import { ANSWER_BYTES_MAX } from './transport';
import * as parties from './testing';

const NUMBER = '4444333322221111';
const OTHER_NUMBER = '5555444433331111';
const EMAIL = 'jane@example.com';
const SERIAL = 'phone-1';

const card = {
  number: new Secret(NUMBER),
  securityCode: new Secret('123'),
  expiry: { month: 12, year: 2035 },
  holder: { printedName: 'JANE DOE' },
};
const verification: VerificationOrder = { operation: 'verification', currency: 'USD', email: EMAIL, card };
const sale: SaleOrder = { operation: 'sale', currency: 'USD', amountCentis: 1_042n, email: EMAIL, source: { card } };
const transfer: TransferOrder = {
  operation: 'transfer',
  currency: 'USD',
  amountCentis: 1_042n,
  email: EMAIL,
  source: { reference: { clientCardId: parties.SOURCE_CLIENT_CARD_ID } },
  destination: { card: { number: new Secret(OTHER_NUMBER) } },
  fromBin: '444433',
  toBin: '555544',
};

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

const TIMEOUT_MS = 15_000;

/** The clock stops while an exchange is under way: sockets are real, and take their time. */
class DeviceTime extends VirtualClock {
  #exchanges = 0;
  readonly waitedMs: number[] = [];

  override after(delayMs: number, run: () => void): Scheduled {
    const scheduled = super.after(delayMs, run);
    if (delayMs !== TIMEOUT_MS) {
      this.waitedMs.push(delayMs);
      return scheduled;
    }
    this.#exchanges += 1;
    return {
      cancel: () => {
        this.#exchanges -= 1;
        scheduled.cancel();
      },
    };
  }

  /** Advances, wait by wait, until the work is done. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const end = () => (isDone = true);
    work.then(end, end);
    await eventually(async () => {
      if (!isDone && this.#exchanges === 0) await this.advance(STEP_MS);
      return isDone;
    });
    return work;
  }
}

const STEP_MS = 250;

interface World {
  readonly session: DeviceSession;
  readonly client: DeviceClient;
  readonly both: parties.ScriptedParties;
  readonly clock: DeviceTime;
}

/** A device with a clock of its own: no test waits for the cadence. */
const world = async (script: parties.Script = {}, settings: Partial<DeviceClientSettings> = {}): Promise<World> => {
  const both = await parties.ScriptedParties.open(script);
  const clock = new DeviceTime();
  const client = new DeviceClient({
    gatewayUrl: both.gateway.url,
    merchantUrl: both.merchant.url,
    device: { serialNumber: SERIAL },
    answerTimeoutMs: TIMEOUT_MS,
    clock,
    scheduler: clock,
    random: seededRandom(),
    ...settings,
  });
  opened.push(client, both);
  return { client, both, clock, session: client.session(new Secret(parties.ACCESS_TOKEN)) };
};

const bodyOf = (call: parties.ReceivedCall | undefined): unknown => JSON.parse(call?.body ?? 'null');
const valueOf = <Value>(outcome: Outcome<Value>): Value => {
  if (outcome.kind !== 'answered') throw new Error(`not answered: ${outcome.kind}`);
  return outcome.value;
};

describe('protocol decisions, section 8: the access token', () => {
  it('is asked for with the e-mail, and every later request carries it', async () => {
    const { client, both } = await world();
    const session = valueOf(await client.signIn({ email: 'jane+1@example.com' }));
    expect(both.merchant.received[0]?.query.get('email')).toBe('jane+1@example.com');
    await session.initiate(verification);
    expect(bodyOf(both.merchant.received[1])).toMatchObject({ session: { accessToken: parties.ACCESS_TOKEN } });
  });

  it('is asked for without an e-mail', async () => {
    const { client, both } = await world();
    expect((await client.signIn()).kind).toBe('answered');
    expect([...(both.merchant.received[0]?.query ?? [])]).toStrictEqual([]);
  });

  it('is asked for below the path of a product', async () => {
    const { both } = await world();
    const client = new DeviceClient({
      gatewayUrl: both.gateway.url,
      merchantUrl: `${both.merchant.url}/acme/`,
      device: { serialNumber: SERIAL },
    });
    opened.push(client);
    await client.signIn();
    expect(both.merchant.received[0]?.path).toBe('/acme/auth/request-access-token');
  });

  it('is refused as malformed where it is too short', async () => {
    const { client } = await world({ merchant: () => ({ json: { session: { accessToken: 'short' } } }) });
    expect(await client.signIn()).toStrictEqual({
      kind: 'malformed',
      httpStatus: 200,
      fault: 'session.accessToken must be 32 to 128 characters',
    });
  });
});

describe('interface, section 4.4: initiate', () => {
  const common = { consumer: { device: { serialNumber: SERIAL } }, session: { accessToken: parties.ACCESS_TOKEN } };

  it.each([
    [verification, '/verification/initiate-verification', { ...common, transaction: { currency: 'USD' } }],
    [sale, '/transfer/initiate-sale', { ...common, transaction: { currency: 'USD', amountCentis: 1_042 } }],
    [
      transfer,
      '/transfer/initiate-transfer',
      { ...common, transaction: { currency: 'USD', amountCentis: 1_042 }, fromBin: '444433', toBin: '555544' },
    ],
  ] as const)('%# sends what the table names, and no card', async (order, path, body) => {
    const { session, both } = await world();
    const invoice = valueOf(await session.initiate(order));
    expect(both.merchant.received.map((call) => [call.method, call.path, bodyOf(call)])).toStrictEqual([['POST', path, body]]);
    expect(invoice).toMatchObject({ operation: order.operation, endpointId: '4711', nonce: parties.NONCE, signature: parties.SIGNATURE });
  });

  it('of a transfer brings its least and most commission', async () => {
    const { session } = await world();
    expect(valueOf(await session.initiate(transfer)).rates).toEqual({ min: '2.00', max: '2.50' });
  });

  it('is not repeated: the next try opens another invoice', async () => {
    const { session, both } = await world({ merchant: ({ count }) => (count === 1 ? 'cut' : undefined) });
    expect(await session.initiate(sale)).toMatchObject({ kind: 'no-answer', reason: 'connection-lost' });
    expect(both.merchant.received).toHaveLength(1);
  });
});

describe('interface, section 4.5: perform', () => {
  const performed = async ({ session, clock }: World, order: VerificationOrder | SaleOrder | TransferOrder) => {
    const invoice = valueOf(await session.initiate(order));
    return clock.until(session.perform(order, invoice));
  };
  const session = { accessToken: parties.ACCESS_TOKEN, nonce: parties.NONCE, signature: parties.SIGNATURE };
  const consumer = { device: { serialNumber: SERIAL }, email: EMAIL };
  const wireCard = { number: NUMBER, securityCode: '123', expiry: { month: 12, year: 2035 }, holder: { printedName: 'JANE DOE' } };
  const transaction = { currency: 'USD', amountCentis: 1_042 };

  it.each([
    [verification, { session, consumer, transaction: { currency: 'USD' }, sourceCard: wireCard }],
    [sale, { session, consumer, transaction, sourceOfFunds: { card: wireCard } }],
    [
      { ...sale, source: { reference: { clientCardId: 'c-1', securityCode: new Secret('321') } } },
      { session, consumer, transaction, sourceOfFunds: { reference: { clientCardId: 'c-1', securityCode: '321' } } },
    ],
    [
      transfer,
      {
        session,
        consumer,
        transaction,
        sourceOfFunds: { reference: { clientCardId: parties.SOURCE_CLIENT_CARD_ID } },
        destinationOfFunds: { card: { number: OTHER_NUMBER } },
      },
    ],
    [
      { ...transfer, destination: { reference: { clientCardId: 'c-2' } } },
      {
        session,
        consumer,
        transaction,
        sourceOfFunds: { reference: { clientCardId: parties.SOURCE_CLIENT_CARD_ID } },
        destinationOfFunds: { reference: { clientCardId: 'c-2' } },
      },
    ],
  ] as const)('%# sends the members of the table to the endpoint that the merchant server named', async (order, body) => {
    const w = await world();
    const { token } = valueOf(await performed(w, order));
    expect(w.both.gateway.received.map((call) => [call.path, bodyOf(call)])).toStrictEqual([
      [`/paynet/dapi/v1/${order.operation}/4711/${parties.invoiceIdOf(1)}`, body],
    ]);
    expect(token).toHaveLength(36);
  });

  it('sends the optional members that the app has', async () => {
    const w = await world({}, { device: { serialNumber: SERIAL, imei: '490154203237518', ipAddresses: ['192.0.2.7'] } });
    const more = {
      birthDay: '31121990',
      location: { lat: 56.9, lng: 24.1 },
      billing: { address: { city: 'Riga', country: 'LVA' }, phone: '37120000000' },
      details: { description: 'Tea' },
    };
    expect((await performed(w, { ...sale, ...more })).kind).toBe('answered');
    expect(bodyOf(w.both.merchant.received[0])).toMatchObject({
      consumer: { device: { imei: '490154203237518' }, ipAddresses: ['192.0.2.7'] },
      location: more.location,
    });
    expect(bodyOf(w.both.gateway.received[0])).toMatchObject({
      consumer: { device: { imei: '490154203237518' }, ipAddresses: ['192.0.2.7'], birthDay: '31121990' },
      location: more.location,
      billing: more.billing,
      order: { description: 'Tea' },
    });
  });

  it.each<[string, parties.Reply]>([
    ['cut', 'cut'],
    ['half', 'half'],
    ['a page of a proxy', { text: '<html>Bad gateway</html>', status: 502 }],
    ['INTERNAL_ERROR', { json: { error: { cause: 'INTERNAL_ERROR', code: '1', message: 'store away' } }, status: 500 }],
  ])('whose answer is %s is repeated with the same bytes', async (_case, reply) => {
    const w = await world({ gateway: ({ count }) => (count < 3 ? reply : undefined) });
    expect((await performed(w, sale)).kind).toBe('answered');
    const [first, ...more] = w.both.gateway.received;
    expect(more.map(({ path, body }) => [path, body])).toStrictEqual(Array(2).fill([first?.path, first?.body]));
  });

  it('is repeated twice and no more, and then ends without an answer', async () => {
    const w = await world({ gateway: () => 'cut' });
    expect(await performed(w, sale)).toMatchObject({ kind: 'no-answer', reason: 'connection-lost' });
    expect(w.both.gateway.received).toHaveLength(3);
  });

  it('is not repeated where it was refused', async () => {
    const error = { cause: 'INVALID_CONFIGURATION', code: '9007199254740991', message: 'no gate' };
    const w = await world({ gateway: () => ({ json: { error, invoiceId: parties.invoiceIdOf(1) } }) });
    expect(await performed(w, sale)).toStrictEqual({ kind: 'refused', ...error });
    expect(w.both.gateway.received).toHaveLength(1);
  });

  it('refuses an answer that belongs to another invoice', async () => {
    const w = await world({ gateway: () => ({ json: { invoiceId: 'another', session: { token: 't'.repeat(36) } } }) });
    expect(await performed(w, sale)).toStrictEqual({
      kind: 'malformed',
      httpStatus: 200,
      fault: 'invoiceId is not that of the request',
    });
  });
});

describe('interface, section 2.6: a request that breaks a constraint is not sent', () => {
  it.each<[string, SaleOrder | TransferOrder | VerificationOrder]>([
    ['transaction.amountCentis', { ...sale, amountCentis: 0n }],
    ['transaction.amountCentis', { ...sale, amountCentis: 2n ** 53n + 1n }],
    ['transaction.currency', { ...sale, currency: 'usd' }],
  ])('initiate: %s', async (field, order) => {
    const { session, both } = await world();
    expect(await session.initiate(order)).toMatchObject({ kind: 'invalid-request', field });
    expect(both.merchant.received).toHaveLength(0);
  });

  const withCard = (change: object): SaleOrder => ({ ...sale, source: { card: { ...card, ...change } } });
  it.each<[string, SaleOrder | TransferOrder | VerificationOrder]>([
    ['consumer.email', { ...sale, email: 'x' }],
    ['consumer.birthDay', { ...sale, birthDay: '31022000' }],
    ['sourceOfFunds.card.number', withCard({ number: new Secret('4444333322221112') })],
    ['sourceOfFunds.card.securityCode', withCard({ securityCode: new Secret('12') })],
    ['sourceOfFunds.card.expiry.month', withCard({ expiry: { month: 13, year: 2035 } })],
    ['sourceOfFunds.card.holder.firstName', withCard({ holder: {} })],
    ['order.description', { ...sale, details: { description: `card ${NUMBER}` } }],
    ['destinationOfFunds.card.number', { ...transfer, destination: { card: { number: new Secret('1') } } }],
  ])('perform: %s', async (field, order) => {
    const { session, both } = await world();
    expect(await session.initiate(order)).toMatchObject({ kind: 'invalid-request', field });
    expect(both.merchant.received).toHaveLength(0);
    const invoice = valueOf(await session.initiate(sale));
    const outcome = await session.perform(order, { ...invoice, operation: order.operation });
    expect(outcome).toMatchObject({ kind: 'invalid-request', field });
    expect(both.gateway.received).toHaveLength(0);
  });
});

describe('protocol decisions, section 8: an answer is read by its body, whatever the HTTP code', () => {
  const answerTo = async (reply: parties.Reply) => (await world({ merchant: () => reply })).session.initiate(sale);
  const error = { cause: 'FILTERED', code: '12', message: 'not today' };
  const invoice = { endpointId: '4711', invoiceId: 'i-1', session: { nonce: parties.NONCE, signature: parties.SIGNATURE } };

  it.each([200, 400, 403, 500, 503])('an error body with HTTP %d', async (status) => {
    expect(await answerTo({ json: { error }, status })).toStrictEqual({ kind: 'refused', ...error });
  });

  it.each([200, 302, 500])('a good body with HTTP %d', async (status) => {
    expect((await answerTo({ json: invoice, status })).kind).toBe('answered');
  });

  it('an empty 403 is forbidden', async () => {
    expect(await answerTo({ text: '', status: 403 })).toStrictEqual({ kind: 'forbidden' });
  });

  it.each<[string, parties.Reply, number, string]>([
    ['an empty 200', { text: '' }, 200, 'body is empty'],
    ['a page', { text: '<html>Forbidden</html>', status: 403 }, 403, 'body must be JSON in UTF-8'],
    ['no object', { json: [invoice] }, 200, 'body must be an object'],
    ['a redirect', { text: '', status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 302, 'body is empty'],
    ['what is compressed', { text: '\u001f\u008b', headers: { 'content-encoding': 'gzip' } }, 200, 'body must be JSON in UTF-8'],
    ['a key given twice', { text: '{"endpointId":"1","endpointId":"2"}' }, 200, 'body must not hold a key twice'],
    ['a missing member', { json: { ...invoice, session: { nonce: parties.NONCE } } }, 200, 'session.signature is required'],
    ['an invoice that is a path', { json: { ...invoice, invoiceId: '..' } }, 200, 'invoiceId must not be . or ..'],
    [
      'a cause of another operation',
      { json: { error: { ...error, cause: 'ORDER_NOT_FOUND' } } },
      200,
      expect.stringContaining('error.cause'),
    ],
    ['more than the cap', { text: 'x'.repeat(ANSWER_BYTES_MAX + 1) }, 200, `body is larger than ${ANSWER_BYTES_MAX} bytes`],
  ])('%s is malformed, and the outcome quotes nothing of it', async (_case, reply, httpStatus, fault) => {
    expect(await answerTo(reply)).toStrictEqual({ kind: 'malformed', httpStatus, fault });
  });

  it('a body of exactly the largest size is read', async () => {
    const padded = JSON.stringify({ ...invoice, pad: '' });
    const text = JSON.stringify({ ...invoice, pad: 'x'.repeat(ANSWER_BYTES_MAX - padded.length) });
    expect(text).toHaveLength(ANSWER_BYTES_MAX);
    expect((await answerTo({ text })).kind).toBe('answered');
  });

  it('an address where nothing listens is unreachable', async () => {
    const gone = await parties.ScriptedServer.open(() => undefined);
    const { url } = gone;
    await gone.close();
    const { session } = await world({}, { merchantUrl: url });
    expect(await session.initiate(sale)).toStrictEqual({ kind: 'no-answer', reason: 'unreachable', code: 'ECONNREFUSED' });
  });

  it('an exchange without an answer ends at the deadline', async () => {
    const { session, clock, both } = await world({ merchant: () => 'silent' });
    const outcome = session.initiate(sale);
    await eventually(() => both.merchant.received.length === 1);
    await clock.advance(TIMEOUT_MS - 1);
    expect(await Promise.race([outcome, Promise.resolve('waiting')])).toBe('waiting');
    await clock.advance(1);
    expect(await outcome).toStrictEqual({ kind: 'no-answer', reason: 'timed-out' });
  });
});

describe('protocol decisions, section 8: polling', () => {
  const steps = (...states: parties.Step['state'][]): readonly parties.Step[] => states.map((state) => ({ state }));
  const PAYER = 'https://gateway.example/pay/1';
  const ours = { invoiceId: parties.invoiceIdOf(1), session: { token: parties.tokenOf(parties.invoiceIdOf(1)) } };

  /** The end comes with the first answer after the limit, so a gap later at most. */
  const expectEndAfter = (limitMs: number, tookMs: number): void => {
    expect(tookMs).toBeGreaterThanOrEqual(limitMs);
    expect(tookMs).toBeLessThanOrEqual(limitMs + 5_000 + STEP_MS);
  };

  it('asks every 3 to 5 s until the state is final, and then for the ids of the cards', async () => {
    const w = await world({ steps: steps('PROCESSING', 'PROCESSING', 'APPROVED') });
    const askedAtMs: number[] = [];
    const startedAt = w.clock.now();
    const run = await w.clock.until(w.session.run(sale, { onStatus: () => askedAtMs.push(w.clock.now()) }));
    expect(run).toMatchObject({
      step: 'follow',
      ending: { kind: 'final', status: { state: 'APPROVED', bankOrderId: 'PNTEST-1' } },
      cards: {
        kind: 'answered',
        value: {
          sourceCard: { bin: 444433, reference: { clientCardId: parties.SOURCE_CLIENT_CARD_ID } },
          destinationCard: { bin: 555544, reference: { clientCardId: parties.DESTINATION_CLIENT_CARD_ID } },
        },
      },
    });
    const gapsMs = askedAtMs.map((atMs, index) => atMs - (askedAtMs[index - 1] ?? startedAt));
    expect(gapsMs).toHaveLength(3);
    expect(gapsMs.every((gapMs) => gapMs >= 3_000 && gapMs <= 5_000 + STEP_MS)).toBe(true);
    const clientIds = w.both.merchant.receivedAt(`/cardrefs/${parties.invoiceIdOf(1)}/get-client-ids`);
    expect(clientIds.map(bodyOf)).toStrictEqual([
      { consumer: { device: { serialNumber: SERIAL } }, session: { accessToken: parties.ACCESS_TOKEN } },
    ]);
  });

  it('each gap lies between 3 and 5 s', async () => {
    const w = await world({ steps: steps('PROCESSING') });
    const run = await w.clock.until(w.session.run(sale));
    expect(run.ending).toMatchObject({ kind: 'still-open', status: { state: 'PROCESSING' } });
    expect(Math.min(...w.clock.waitedMs)).toBeGreaterThanOrEqual(3_000);
    expect(Math.max(...w.clock.waitedMs)).toBeLessThanOrEqual(5_000);
    expect(new Set(w.clock.waitedMs).size).toBeGreaterThan(10);
  });

  it('ends after 3 minutes, and can be continued', async () => {
    let isSettled = false;
    const w = await world({ gateway: ({ path }) => (path.endsWith('/status') && !isSettled ? 'cut' : undefined) });
    const invoice = valueOf(await w.session.initiate(sale));
    const transaction = valueOf(await w.session.perform(sale, invoice));
    const startedAt = w.clock.now();
    expect(await w.clock.until(w.session.follow(transaction))).toMatchObject({
      kind: 'still-open',
      failure: { kind: 'no-answer', reason: 'connection-lost' },
    });
    expectEndAfter(180_000, w.clock.now() - startedAt);
    isSettled = true;
    expect(await w.clock.until(w.session.follow(transaction))).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
  });

  it('interface, section 3.2: a decline is final, with its code, and no cards are asked for', async () => {
    const w = await world({ steps: steps('DECLINED') });
    const run = await w.clock.until(w.session.run(verification));
    expect(run).toMatchObject({
      ending: { kind: 'final', status: { state: 'DECLINED', errorCode: 116, errorMessage: 'Not sufficient funds' } },
    });
    expect(run).not.toHaveProperty('cards');
  });

  it('interface, section 3.2: REDIRECT_REQUEST hands the page to the app once', async () => {
    const w = await world({ steps: steps('REDIRECT_REQUEST', 'REDIRECT_REQUEST', 'PROCESSING', 'APPROVED') });
    const pages: string[] = [];
    const run = await w.clock.until(w.session.run(verification, { onRedirect: (url) => void pages.push(url) }));
    expect(run.ending.kind).toBe('final');
    expect(pages).toStrictEqual([PAYER]);
  });

  it('a payer has 15 minutes, and the state after it three minutes more', async () => {
    const away = await world({ steps: steps('REDIRECT_REQUEST') });
    const startedAt = away.clock.now();
    const enteredAt: number[] = [];
    const run = await away.clock.until(away.session.run(verification, { onStatus: () => enteredAt.push(away.clock.now()) }));
    expect(run.ending).toMatchObject({ kind: 'still-open', status: { state: 'REDIRECT_REQUEST' } });
    expectEndAfter(900_000, away.clock.now() - (enteredAt[0] ?? startedAt));

    const back = await world({ steps: steps(...Array<'REDIRECT_REQUEST'>(100).fill('REDIRECT_REQUEST'), 'PROCESSING') });
    const processingAt: number[] = [];
    const onStatus = ({ state }: { readonly state: string }) => void (state === 'PROCESSING' && processingAt.push(back.clock.now()));
    expect((await back.clock.until(back.session.run(verification, { onStatus }))).ending).toMatchObject({
      kind: 'still-open',
      status: { state: 'PROCESSING' },
    });
    expectEndAfter(180_000, back.clock.now() - (processingAt[0] ?? 0));
  });

  it('stops following a gateway that repeats its states for ever', async () => {
    const circle = Array.from({ length: 50 }, () => steps('PROCESSING', 'REDIRECT_REQUEST')).flat();
    const w = await world({ steps: circle });
    expect((await w.clock.until(w.session.run(verification))).ending.kind).toBe('still-open');
    expect(w.both.gateway.received.filter(({ path }) => path.endsWith('/status'))).toHaveLength(21);
  });

  it.each(['FILTERED', 'PROCESSING_FAILED', 'ORDER_NOT_FOUND', 'INVALID_REQUEST'])('%s ends the polling', async (cause) => {
    const error = { cause, code: '77', message: 'no' };
    const w = await world({ gateway: ({ path }) => (path.endsWith('/status') ? { json: { error } } : undefined) });
    expect((await w.clock.until(w.session.run(sale))).ending).toStrictEqual({ kind: 'refused', ...error });
  });

  it.each<[string, parties.Reply]>([
    ['an error of the moment', { json: { error: { cause: 'INTERNAL_ERROR', code: '1', message: '' } } }],
    ['a page', { text: '<html>', status: 503 }],
    [
      'the status of another session',
      { json: { invoiceId: parties.invoiceIdOf(1), session: { token: 'x'.repeat(36) }, state: 'DECLINED', bankOrderId: 'b' } },
    ],
    ['the status of another invoice', { json: { ...ours, invoiceId: parties.invoiceIdOf(2), state: 'DECLINED', bankOrderId: 'b' } }],
    ['an approval without its bankOrderId', { json: { ...ours, state: 'APPROVED' } }],
    ['a decline without its bankOrderId', { json: { ...ours, state: 'DECLINED', errorCode: 100 } }],
    ['a redirect without its redirectUrl', { json: { ...ours, state: 'REDIRECT_REQUEST' } }],
    ['nothing', 'cut'],
  ])('polling continues after %s', async (_case, reply) => {
    const w = await world({ gateway: ({ path, count }) => (path.endsWith('/status') && count < 3 ? reply : undefined) });
    expect((await w.clock.until(w.session.run(verification))).ending).toMatchObject({
      kind: 'final',
      status: { state: 'APPROVED', bankOrderId: 'PNTEST-1' },
    });
  });
});

describe('interface, section 3.2: TRANSFER_FEE_REQUEST', () => {
  const steps: readonly parties.Step[] = [{ state: 'PROCESSING' }, { state: 'TRANSFER_FEE_REQUEST' }, { state: 'APPROVED' }];
  const completes = ({ both }: World) => both.gateway.received.filter(({ path }) => path.endsWith('/gate-cheap'));
  const cheap = {
    chooseFee: (fees: readonly { assignedId: string }[]) => fees.find(({ assignedId }) => assignedId === 'gate-cheap'),
  } as never;

  it('hands the offer to the app and completes with its choice', async () => {
    const w = await world({ steps });
    const offered: unknown[] = [];
    const run = await w.clock.until(
      w.session.run(transfer, {
        chooseFee: (fees) => {
          offered.push(...fees);
          return fees[1];
        },
      }),
    );
    expect(run.ending).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
    expect(offered).toMatchObject(parties.FEES);
    expect(completes(w).map(({ path, body }) => [path, JSON.parse(body) as unknown])).toStrictEqual([
      [
        `/paynet/dapi/v1/transfer/4711/${parties.invoiceIdOf(1)}/gate-cheap`,
        { session: { accessToken: parties.ACCESS_TOKEN, token: expect.stringContaining('11111111-') } },
      ],
    ]);
  });

  it.each([undefined, { chooseFee: () => undefined }])('polling ends without a choice, and none is sent: %j', async (watcher) => {
    const w = await world({ steps });
    expect((await w.clock.until(w.session.run(transfer, watcher))).ending).toMatchObject({ kind: 'fee-not-chosen', fees: parties.FEES });
    expect(w.both.gateway.received.filter(({ path }) => /\/gate-/.test(path))).toHaveLength(0);
  });

  it('a choice of a fee that was not offered throws a RangeError', async () => {
    const w = await world({ steps });
    const choosing = w.clock.until(
      w.session.run(transfer, { chooseFee: () => ({ assignedId: 'mine', commissionCentis: 0, currency: 'USD' }) }),
    );
    await expect(choosing).rejects.toThrow(RangeError);
  });

  it.each<[string, parties.Reply]>([
    ['lost on its way', 'cut'],
    ['answered for another session', { json: { invoiceId: parties.invoiceIdOf(1), session: { token: 'x'.repeat(36) } } }],
  ])('a choice that was %s is sent again unchanged, without asking the app twice', async (_case, reply) => {
    const w = await world({ steps, gateway: ({ path, count }) => (path.endsWith('/gate-cheap') && count === 1 ? reply : undefined) });
    let asked = 0;
    const run = w.session.run(transfer, { chooseFee: (fees) => ((asked += 1), fees[1]) });
    expect((await w.clock.until(run)).ending).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
    expect([completes(w).length, asked]).toStrictEqual([2, 1]);
  });

  it('an answer of another session does not acknowledge the choice', async () => {
    const json = { invoiceId: parties.invoiceIdOf(1), session: { token: 'x'.repeat(36) } };
    const w = await world({ gateway: ({ path }) => (path.endsWith('/gate-cheap') ? { json } : undefined) });
    const invoice = valueOf(await w.session.initiate(transfer));
    const transaction = valueOf(await w.session.perform(transfer, invoice));
    const fault = 'session.token is not that of the request';
    expect(await w.session.complete(transaction, 'gate-cheap')).toStrictEqual({ kind: 'malformed', httpStatus: 200, fault });
  });

  it('a choice whose answer was lost and whose repeat is refused was accepted, as the next status shows', async () => {
    const error = { cause: 'INVALID_REQUEST', code: '5', message: 'waits for no choice' };
    let isTaken = false;
    const gateway = ({ path, count }: parties.ReceivedCall): parties.Reply | undefined => {
      if (path.endsWith('/gate-cheap')) {
        isTaken = count > 1;
        return isTaken ? { json: { error } } : 'cut';
      }
      return path.endsWith('/status') && isTaken ? { json: declined } : undefined;
    };
    const declined = {
      invoiceId: parties.invoiceIdOf(1),
      session: { token: parties.tokenOf(parties.invoiceIdOf(1)) },
      state: 'DECLINED',
      bankOrderId: 'b',
      orderId: 't0000000000000or',
      transaction: {
        amountCentis: 1_042,
        orderCreatedDate: '2026-11-21 10:00:00 UTC',
        transactionCreatedDate: '2026-11-21 10:00:00 UTC',
      },
    };
    const w = await world({ steps, gateway });
    expect((await w.clock.until(w.session.run(transfer, cheap))).ending).toMatchObject({ kind: 'final', status: { state: 'DECLINED' } });
    expect(completes(w)).toHaveLength(2);
  });

  it('a refused choice ends the polling', async () => {
    const error = { cause: 'INVALID_REQUEST', code: '5', message: 'not offered' };
    const w = await world({ steps, gateway: ({ path }) => (path.endsWith('/gate-cheap') ? { json: { error } } : undefined) });
    expect((await w.clock.until(w.session.run(transfer, cheap))).ending).toStrictEqual({ kind: 'refused', ...error });
    expect(completes(w)).toHaveLength(1);
  });

  it('a choice that is never acknowledged is repeated five times and no more', async () => {
    const w = await world({ steps, gateway: ({ path }) => (path.endsWith('/gate-cheap') ? 'cut' : undefined) });
    expect((await w.clock.until(w.session.run(transfer, cheap))).ending).toMatchObject({ kind: 'no-answer' });
    expect(completes(w)).toHaveLength(5);
  });
});

it('refuses ids of cards that belong to another invoice (protocol decisions, section 8)', async () => {
  const { session } = await world({
    merchant: ({ path }) => (path.endsWith('/get-client-ids') ? { json: { invoiceId: 'i-2' } } : undefined),
  });
  expect(await session.clientIds('i-1')).toStrictEqual({
    kind: 'malformed',
    httpStatus: 200,
    fault: 'invoiceId is not that of the request',
  });
});

describe('safety, T32: secrets', () => {
  it('appear in no outcome, not even where the gateway repeats the card number', async () => {
    const error = { cause: 'INVALID_REQUEST', code: '5', message: `bad card 4444 3333 2222 1111 given` };
    const w = await world({ gateway: () => ({ json: { error } }) });
    const run = await w.clock.until(w.session.run(sale));
    expect(run.ending).toStrictEqual({ kind: 'refused', ...error, message: '[redacted]' });
  });

  it('appear in no inspection of client, session or order', async () => {
    const { client, session } = await world();
    const shown =
      inspect([client, session, sale, transfer], { depth: Infinity, showHidden: true }) + JSON.stringify([session, verification]);
    for (const secret of [NUMBER, OTHER_NUMBER, parties.ACCESS_TOKEN]) expect(shown).not.toContain(secret);
  }, 10_000);
});

it.each(['', 'ftp://gateway.example', 'https://user@gateway.example', 'https://gateway.example?x=1', 'gateway.example'])(
  'refuses to be made for the address "%s"',
  (gatewayUrl) => {
    const make = () => new DeviceClient({ gatewayUrl, merchantUrl: 'https://shop.example', device: { serialNumber: SERIAL } });
    expect(make).toThrow(RangeError);
  },
);
