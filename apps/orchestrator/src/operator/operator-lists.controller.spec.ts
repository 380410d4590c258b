import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { deliveryCodec, deliveryKey, deliveryStream } from '@app/callbacks';
import type { DeliveryEvent } from '@app/callbacks/events';
import { newOperatorToken, sha256OfToken, type Operator } from '@app/configuration';
import { metadataOf, type EventId } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { OperatorAccess, OperatorLists, QueryAudit, ServiceState } from '@app/investigation';
import { OperatorAudit, operatorAuditCodec, operatorStream } from '@app/investigation/record';
import {
  addMs,
  systemIds,
  type ClientOrderId,
  type Currency,
  type GateAlias,
  type Instant,
  type MerchantLogin,
  type NonEmpty,
  type OrderId,
  type Sealed,
} from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { openReadModel, type LocalReadModel } from '@app/read-models';
import { decodeAny } from '@app/read-models/queries';
import { orderLife, projectWholeLog, START } from '@app/read-models/testing';
import { attemptEvents, finalEvents, sampleOrder, settle, VirtualClock } from '@app/testing';
import { openOperatorPort } from '../testing/operator-port';

const ACME = 'acme' as MerchantLogin;
const UMBRELLA = 'umbrella' as MerchantLogin;
const GONE = 'gone' as MerchantLogin;
const TOKENS = { ann: newOperatorToken(), lim: newOperatorToken(), eve: newOperatorToken() };
const OPERATORS: readonly Operator[] = [
  { name: 'eve', role: 'viewer', tokenSha256: sha256OfToken(TOKENS.eve) },
  { name: 'ann', role: 'investigator', tokenSha256: sha256OfToken(TOKENS.ann) },
  { name: 'lim', role: 'investigator', tokenSha256: sha256OfToken(TOKENS.lim), merchants: [ACME] },
];
const digests = { onceKey: (...asked: readonly unknown[]): string => hash('sha256', JSON.stringify(asked), 'hex') };

let folder: string;
let app: INestApplication;
let port: number;
let clock: VirtualClock;
let log: MemoryEventStore;
let model: LocalReadModel;
let isAway: boolean;
let audit: OperatorAudit;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'operator-lists-'));
  clock = new VirtualClock();
  log = new MemoryEventStore(clock);
  isAway = false;
  model = await openReadModel({ path: join(folder, 'read-model.sqlite'), log, decode: decodeAny, clock });
  await model.build();
  const store = Object.assign(Object.create(log) as MemoryEventStore, {
    append: (...appended: Parameters<MemoryEventStore['append']>) => (isAway ? Promise.reject(new Error('away')) : log.append(...appended)),
  });
  audit = new OperatorAudit({ store, clock, ids: systemIds, scheduler: clock, bootId: 'boot', onUnwritten: () => undefined });
  const parts = new Map<unknown, unknown>([
    [OperatorAccess, new OperatorAccess(() => OPERATORS, audit)],
    [QueryAudit, new QueryAudit(audit, digests)],
    [ServiceState, new ServiceState({ log, readModel: model, clock })],
    [OperatorLists, new OperatorLists({ log, readModel: model, accounts: { logins: [ACME, UMBRELLA] }, digests, clock })],
  ]);
  ({ app, port } = await openOperatorPort(parts, audit));
});
afterEach(async () => {
  await app.close();
  await model.close();
  rmSync(folder, { recursive: true });
});

const get = async <Body>(path: string, who: keyof typeof TOKENS = 'ann'): Promise<{ readonly status: number; readonly body: Body }> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${TOKENS[who]}` } });
  return { status: response.status, body: (await response.json()) as Body };
};

const recorded = async (): Promise<readonly unknown[]> => {
  await settle(10);
  const events: unknown[] = [];
  for await (const stored of log.read(operatorStream('boot')))
    events.push([metadataOf(stored).actor, operatorAuditCodec.decode(stored).data]);
  return events;
};

const envelopeOf = (merchant: MerchantLogin, commandId: string) => ({
  correlation: 's',
  causation: 's',
  actor: merchant,
  merchant,
  commandId,
  recordedAt: clock.now(),
});
const factIdOf = (number: number): EventId => `5a17c0de-0000-5000-8000-${String(number).padStart(12, '0')}` as EventId;
const orderIdOf = (number: number): OrderId => `pabcdefghijklm${number}r` as OrderId;
const orderOf = (merchant: MerchantLogin, number: number) => paymentStream(merchant, `order-${number}` as ClientOrderId);

const accept = async (merchant: MerchantLogin, number: number): Promise<void> => {
  const order = sampleOrder({ merchant, orderId: orderIdOf(number), clientOrderId: `order-${number}` as ClientOrderId });
  const stream = orderOf(merchant, number);
  const events = paymentCodec.encode([{ type: 'OrderAccepted', data: order }], stream, 'no_stream', envelopeOf(merchant, `o${number}`));
  await log.append(stream, 'no_stream', events);
};

const deliver = async (merchant: MerchantLogin, number: number, ...types: NonEmpty<DeliveryEvent['type']>): Promise<void> => {
  const identity = { factId: factIdOf(number), target: 'notify' as const, orderStream: orderOf(merchant, number) };
  const at = addMs(clock.now(), number);
  const failure = { cause: 'answered', status: 503 } as const;
  const made: Readonly<Record<DeliveryEvent['type'], DeliveryEvent>> = {
    CallbackDelivered: { type: 'CallbackDelivered', data: { ...identity, tries: 1, status: 200, deliveredAt: at } },
    CallbackFailed: { type: 'CallbackFailed', data: { ...identity, tryNumber: 1, failure, failedAt: at, nextTryAt: addMs(at, 15_000) } },
    CallbackExhausted: { type: 'CallbackExhausted', data: { ...identity, tries: 1, failure, exhaustedAt: at } },
    CallbackResendRequested: { type: 'CallbackResendRequested', data: { ...identity, reason: 'sealed' as Sealed, requestedAt: at } },
  };
  const [first, ...others] = types;
  const stream = deliveryStream(identity.factId, identity.target);
  const events: NonEmpty<DeliveryEvent> = [made[first], ...others.map((type) => made[type])];
  await log.append(stream, 'no_stream', deliveryCodec.encode(events, stream, 'no_stream', envelopeOf(merchant, `d${number}`)));
};

describe('GET /deliveries', () => {
  interface Page {
    readonly deliveries: readonly { readonly deliveryId: string; readonly merchant: string }[];
    readonly next?: string;
    readonly index?: string;
  }
  const idsOf = ({ body }: { readonly body: Page }) => body.deliveries.map(({ deliveryId }) => deliveryId);
  const idOf = (number: number): string => deliveryKey(factIdOf(number), 'notify');

  beforeEach(async () => {
    for (const [number, merchant] of [ACME, UMBRELLA, ACME, GONE].entries()) await accept(merchant, number);
    await deliver(ACME, 0, 'CallbackFailed');
    await deliver(UMBRELLA, 1, 'CallbackExhausted');
    await deliver(ACME, 2, 'CallbackDelivered');
    await deliver(GONE, 3, 'CallbackExhausted', 'CallbackResendRequested');
  });

  it('returns each callback with its order, its latest result in words and its next attempt', async () => {
    await projectWholeLog(model, log);
    await clock.advance(5_000);
    const { status, body } = await get<Page>('/deliveries?state=failed&limit=1');
    const at = (ms: number): string => new Date(clock.now() - 5_000 + ms).toISOString();
    expect([status, body.deliveries]).toStrictEqual([
      200,
      [
        {
          orderId: orderIdOf(0),
          merchant: ACME,
          deliveryId: idOf(0),
          target: 'notify',
          status: 'waiting',
          attempts: 1,
          lastResult: 'answered HTTP 503',
          firstAttemptAt: at(0),
          lastChangeAt: at(0),
          nextAttemptAt: at(15_000),
          ageSeconds: 5,
        },
      ],
    ]);
    expect(body.next).toBeDefined();
    expect(body).not.toHaveProperty('index');
  });

  it('follows its cursor to the last page, and refuses a cursor of other filters', async () => {
    await projectWholeLog(model, log);
    const first = await get<Page>('/deliveries?state=failed&limit=2');
    const second = await get<Page>(`/deliveries?state=failed&limit=2&cursor=${first.body.next}`);
    expect([idsOf(first), idsOf(second), second.body.next]).toStrictEqual([[idOf(0), idOf(1)], [idOf(3)], undefined]);
    for (const cursor of [`limit=2&cursor=${first.body.next}`, 'state=failed&cursor=x'])
      expect(await get(`/deliveries?${cursor}`)).toStrictEqual({
        status: 400,
        body: { error: 'cursor must be the next of the previous page' },
      });
    expect(await get(`/deliveries?state=failed&cursor=${first.body.next}`, 'lim')).toMatchObject({ status: 400 });
  });

  it("returns to a limited operator the deliveries of the operator's merchants only", async () => {
    await projectWholeLog(model, log);
    expect(idsOf(await get<Page>('/deliveries'))).toStrictEqual([0, 1, 2, 3].map(idOf));
    expect(idsOf(await get<Page>('/deliveries', 'lim'))).toStrictEqual([0, 2].map(idOf));
    for (const merchant of [UMBRELLA, GONE]) {
      expect(idsOf(await get<Page>(`/deliveries?merchant=${merchant}`))).toHaveLength(1);
      expect(await get<Page>(`/deliveries?merchant=${merchant}`, 'lim')).toMatchObject({ status: 200, body: { deliveries: [] } });
    }
  });

  it('is recorded with the names of its filters before it is answered, and not answered without that', async () => {
    await projectWholeLog(model, log);
    await get('/deliveries?state=failed&merchant=acme&since=2020-01-01T00:00Z&limit=5');
    expect(await recorded()).toMatchObject([
      ['operator:ann', { query: 'find-deliveries', role: 'investigator', filters: ['merchant', 'since', 'state'], rows: 1 }],
    ]);
    isAway = true;
    expect(await get('/deliveries')).toMatchObject({ status: 503, body: { error: expect.any(String) as string } });
  });

  it('says that the list is behind the log if it lacks an event of more than two seconds before', async () => {
    await clock.advance(2_000);
    expect((await get<Page>('/deliveries')).body).toStrictEqual({ deliveries: [] });
    await clock.advance(1);
    expect((await get<Page>('/deliveries')).body).toStrictEqual({ deliveries: [], index: 'behind' });
  });

  it.each(['state=lost', 'target=mail', 'since=yesterday', 'limit=0', 'limit=501', 'merchant=a%20b', 'colour=red'])(
    'refuses %s and records nothing',
    async (query) => {
      expect((await get(`/deliveries?${query}`)).status).toBe(400);
      expect(await recorded()).toStrictEqual([]);
    },
  );
});

/** An attempt that gets no answer: at once, after the payer came back, and at the second gate. */
const UNKNOWN = [
  [0, 2],
  [0, 4, 0, 2],
  [0, 1, 1, 0, 2],
] as const;
const LAST_FOUR = '1111';

describe('GET /orders/unknown', () => {
  interface Page {
    readonly orders: readonly { readonly orderId: string; readonly unknownSince: string; readonly card?: unknown }[];
    readonly next?: string;
  }
  const idsOf = ({ body }: { readonly body: Page }) => body.orders.map(({ orderId }) => orderId);

  beforeEach(async () => {
    for (const [number, merchant] of [ACME, UMBRELLA, ACME].entries()) {
      const acceptedAt = addMs(clock.now(), -number);
      const order = sampleOrder({ merchant, orderId: orderIdOf(number), clientOrderId: `order-${number}` as ClientOrderId, acceptedAt });
      const stream = orderOf(merchant, number);
      const events = orderLife({ type: 'OrderAccepted', data: order }, UNKNOWN[number] ?? []) as unknown as NonEmpty<PaymentEvent>;
      await log.append(stream, 'no_stream', paymentCodec.encode(events, stream, 'no_stream', envelopeOf(merchant, `u${number}`)));
    }
    await projectWholeLog(model, log);
  });

  it('returns the longest unknown first, in pages, and only those of the merchants asked for or seen', async () => {
    const first = await get<Page>('/orders/unknown?limit=2');
    const second = await get<Page>(`/orders/unknown?limit=2&cursor=${first.body.next}`);
    expect([idsOf(first), idsOf(second), second.body.next]).toStrictEqual([[orderIdOf(0), orderIdOf(1)], [orderIdOf(2)], undefined]);
    const shown = [...first.body.orders, ...second.body.orders].map(({ unknownSince }) => Date.parse(unknownSince));
    expect(shown).toStrictEqual([2_000, 4_000, 5_000].map((ms) => addMs(START, ms)));
    expect(idsOf(await get<Page>('/orders/unknown?merchant=umbrella'))).toStrictEqual([orderIdOf(1)]);
    expect(idsOf(await get<Page>('/orders/unknown', 'lim'))).toStrictEqual([orderIdOf(0), orderIdOf(2)]);
    expect(idsOf(await get<Page>('/orders/unknown?merchant=umbrella', 'lim'))).toStrictEqual([]);
    expect(await get(`/orders/unknown?cursor=${first.body.next}`, 'lim')).toMatchObject({ status: 400 });
  });

  it('returns card data to an investigator and not to a viewer', async () => {
    const [[own], [shown]] = [(await get<Page>('/orders/unknown')).body.orders, (await get<Page>('/orders/unknown', 'eve')).body.orders];
    expect(JSON.stringify(own)).toContain(LAST_FOUR);
    expect(JSON.stringify(shown)).not.toContain(LAST_FOUR);
  });
});

describe('GET /activity', () => {
  interface Page {
    readonly activity: readonly {
      readonly person: string;
      readonly name: string;
      readonly target: string | null;
      readonly outcome: string | null;
    }[];
    readonly next?: string;
    readonly index?: string;
    readonly isCutShort?: true;
  }
  const textsOf = ({ body }: { readonly body: Page }) =>
    body.activity.map(({ person, name, target }) => `${person} ${name} ${target ?? '-'}`);
  const by = (name: string) => ({ actor: `operator:${name}` });
  const act = async (who: string, action: 'settle-unknown' | 'unpark-stream', target: string): Promise<void> => {
    await clock.advance(1_000);
    await audit.end(by(who), await audit.begin(by(who), { action, role: 'operator', target }), 'done');
  };

  beforeEach(async () => {
    for (const [number, merchant] of [ACME, UMBRELLA].entries()) await accept(merchant, number);
    await act('kim', 'settle-unknown', orderIdOf(0));
    await act('kim', 'settle-unknown', orderIdOf(1));
    await act('lim', 'unpark-stream', 'payment-x');
    await act('kim', 'unpark-stream', 'payment-x');
    await clock.advance(1_000);
    audit.refused('role', by('eve'));
    await settle(10);
    await projectWholeLog(model, log);
  });

  it('returns actions with their outcome and refusals, newest first, page by page', async () => {
    const first = await get<Page>('/activity?limit=3');
    const second = await get<Page>(`/activity?limit=3&cursor=${first.body.next}`);
    expect([...textsOf(first), '|', ...textsOf(second)]).toStrictEqual([
      'eve role -',
      'kim unpark-stream payment-x',
      'lim unpark-stream payment-x',
      '|',
      `kim settle-unknown ${orderIdOf(1)}`,
      `kim settle-unknown ${orderIdOf(0)}`,
    ]);
    expect(second.body.activity[0]).toMatchObject({ kind: 'action', role: 'operator', outcome: 'done', claimedActor: null });
    expect(second.body.next).toBeUndefined();
    expect(await get(`/activity?limit=3&person=kim&cursor=${first.body.next}`)).toMatchObject({ status: 400 });
  });

  it('returns the actions, queries and refusals of one person', async () => {
    expect(textsOf(await get<Page>('/activity?person=eve'))).toStrictEqual(['eve role -']);
    expect(textsOf(await get<Page>(`/activity?target=${orderIdOf(0)}`))).toStrictEqual([`kim settle-unknown ${orderIdOf(0)}`]);
    await projectWholeLog(model, log);
    expect(textsOf(await get<Page>('/activity?person=ann&kind=query'))).toStrictEqual(['ann list-activity -', 'ann list-activity -']);
    expect(textsOf(await get<Page>('/activity?person=ann&without=query'))).toStrictEqual([]);
  });

  it('returns to a limited operator its own entries and those about orders of its merchants only', async () => {
    const seen = ['lim unpark-stream payment-x', `kim settle-unknown ${orderIdOf(0)}`];
    expect(textsOf(await get<Page>('/activity', 'lim'))).toStrictEqual(seen);
    const first = await get<Page>('/activity?limit=1', 'lim');
    const second = await get<Page>(`/activity?limit=1&cursor=${first.body.next}`, 'lim');
    expect([...textsOf(first), ...textsOf(second)]).toStrictEqual(seen);
    expect(textsOf(await get<Page>(`/activity?target=${orderIdOf(1)}`, 'lim'))).toStrictEqual([]);
    expect(textsOf(await get<Page>('/activity?person=eve', 'lim'))).toStrictEqual([]);
  });

  it('is not behind the log because of questions that were asked just now', async () => {
    const indexOf = async () => (await get<Page>('/activity')).body.index;
    expect([await indexOf(), await indexOf()]).toStrictEqual([undefined, undefined]);
    await clock.advance(2_001);
    expect(await indexOf()).toBe('behind');
  });

  it('is refused to a viewer', async () => {
    expect(await get('/activity', 'eve')).toMatchObject({ status: 403 });
  });

  it.each(['kind=ended', 'without=ended', 'person=a%00', 'name=%00', 'target=a%20b'])('refuses %s', async (query) => {
    expect((await get(`/activity?${query}`)).status).toBe(400);
  });
});

describe('the state of the read models', () => {
  it('GET /projections returns each checkpoint, and the age of the oldest event that is missing', async () => {
    await accept(ACME, 1);
    await projectWholeLog(model, log);
    interface States {
      readonly head: string;
      readonly eventsPerSecond: number | null;
      readonly projections: readonly { readonly projection: string; readonly state: string; readonly behindSeconds: number }[];
    }
    const stateOf = ({ body }: { readonly body: States }, name: string) => body.projections.find(({ projection }) => projection === name);
    const level = await get<States>('/projections', 'lim');
    expect(level.body.projections.map(({ state }) => state)).toStrictEqual(level.body.projections.map(() => 'level'));
    await accept(ACME, 2);
    await clock.advance(7_000);
    const behind = await get<States>('/projections', 'eve');
    // One event in the eight seconds since.
    expect([level.body.eventsPerSecond, behind.body.eventsPerSecond]).toStrictEqual([1, 0.1]);
    expect(stateOf(behind, 'order-status')).toMatchObject({ state: 'behind', behindSeconds: 7, parkedStreams: 0 });
    // Later events are of other categories.
    expect(stateOf(behind, 'deliveries')).toMatchObject({ state: 'level', behindSeconds: 0 });
  });

  it('GET /streams/parked returns a parked stream with its cause and projections, and is refused to a limited operator', async () => {
    const stream = orderOf(ACME, 3);
    const data = JSON.stringify({ of: 'a newer release' });
    const [event] = paymentCodec.encode(
      [{ type: 'OrderAccepted', data: sampleOrder({ merchant: ACME }) }],
      stream,
      'no_stream',
      envelopeOf(ACME, 'newer'),
    );
    await log.append(stream, 'no_stream', [{ ...event, type: 'OfANewerRelease', data }]);
    await projectWholeLog(model, log);
    const { status, body } = await get<{ readonly streams: readonly { readonly projections: readonly string[] }[] }>(
      '/streams/parked',
      'eve',
    );
    expect([status, body]).toMatchObject([
      200,
      { streams: [{ stream, cause: 'event-unreadable', revision: 0, next: expect.stringContaining('upgrade') as string }] },
    ]);
    expect(body.streams[0]?.projections).toContain('order-status');
    expect(await get('/streams/parked', 'lim')).toMatchObject({ status: 403 });
  });
});

describe('GET /disputes', () => {
  interface Page {
    readonly disputes: readonly { readonly orderId: string; readonly case: string; readonly daysLeft: number | null }[];
    readonly next?: string;
  }
  const DAY_MS = 86_400_000;
  const textsOf = ({ body }: { readonly body: Page }) => body.disputes.map(({ case: id, daysLeft }) => `${id} ${daysLeft ?? '-'}`);
  const today = () => Math.floor(clock.now() / DAY_MS) * DAY_MS;

  /** An approved order of this merchant with a chargeback, due after so many days. */
  const dispute = async (merchant: MerchantLogin, number: number, dueInDays: number | undefined, isWon = false): Promise<void> => {
    const stream = orderOf(merchant, number);
    const order = sampleOrder({ merchant, orderId: orderIdOf(number), clientOrderId: `order-${number}` as ClientOrderId });
    const common = {
      gate: 'sim-a' as GateAlias,
      source: 'operator',
      reportId: `CB-${number}`,
      receivedAt: clock.now(),
      callbacks: [],
    } as const;
    const amount = { minor: 100n, currency: 'USD' as Currency };
    const due = dueInDays === undefined ? {} : { respondBy: (today() + dueInDays * DAY_MS) as Instant };
    const events: NonEmpty<PaymentEvent> = [
      { type: 'OrderAccepted', data: order },
      attemptEvents.started(),
      attemptEvents.approved(),
      finalEvents.approved(),
      { type: 'ChargebackReceived', data: { ...common, stage: 'first', amount, ...due } },
      ...(isWon ? [{ type: 'RepresentmentReported', data: { ...common, stage: 'first', outcome: 'won', amount } } as const] : []),
    ];
    await log.append(stream, 'no_stream', paymentCodec.encode(events, stream, 'no_stream', envelopeOf(merchant, `c${number}`)));
  };

  beforeEach(async () => {
    await dispute(ACME, 1, 5);
    await dispute(UMBRELLA, 2, -1);
    await dispute(ACME, 3, undefined);
    await dispute(ACME, 4, 2, true);
    await projectWholeLog(model, log);
  });

  it('returns open chargebacks by due day, those without a day last, page by page', async () => {
    const first = await get<Page>('/disputes?limit=2');
    const second = await get<Page>(`/disputes?limit=2&cursor=${first.body.next}`);
    expect([...textsOf(first), ...textsOf(second), second.body.next]).toStrictEqual(['CB-2 -1', 'CB-1 5', 'CB-3 -', undefined]);
    expect(first.body.disputes[1]).toMatchObject({
      orderId: orderIdOf(1),
      merchant: ACME,
      state: 'open',
      amount: '1.00',
      respondBy: new Date(today() + 5 * DAY_MS).toISOString().slice(0, 10),
    });
    expect(textsOf(await get<Page>(`/disputes?until=${new Date(today() + DAY_MS).toISOString()}`))).toStrictEqual(['CB-2 -1']);
    expect(textsOf(await get<Page>('/disputes?state=over'))).toStrictEqual(['CB-4 2']);
  });

  it("returns to a limited operator the disputes of the operator's merchants only", async () => {
    expect(textsOf(await get<Page>('/disputes', 'lim'))).toStrictEqual(['CB-1 5', 'CB-3 -']);
    expect(textsOf(await get<Page>(`/disputes?merchant=${UMBRELLA}`, 'lim'))).toStrictEqual([]);
  });
});
