import { hashOf, StoreUnavailable, type Last } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { addMs, EndableDeadline, type Instant, type MerchantLogin, type NonEmpty } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { attemptEvents, finalEvents, sampleOrder, sampleReceipt, VirtualClock } from '@app/testing';
import type { Operator } from '@app/configuration';
import type { OperatorAudit } from '@app/investigation/record';
import { OrderHistories, QueryAudit } from '@app/investigation';
import { DiffQuery, MomentQuery, UnknownQuery, WhyQuery } from './history.requests';
import { OrderHistoryController } from './order-history.controller';
import { readQuestion } from './question.pipe';

const NOON = 1_777_809_600_000 as Instant;
const after = (seconds: number): Instant => addMs(NOON, seconds * 1_000);
const order = sampleOrder({ acceptedAt: NOON });
const stream = paymentStream('acme' as MerchantLogin, order.clientOrderId);
const store = new MemoryEventStore(new VirtualClock());
const deadline = new EndableDeadline();

const APPENDS: readonly (readonly [Instant, NonEmpty<PaymentEvent>])[] = [
  [NOON, [{ type: 'OrderAccepted', data: order }]],
  [after(1), [attemptEvents.started()]],
  [after(30), [attemptEvents.unknown()]],
  [after(1_800), [attemptEvents.approved({ receipt: sampleReceipt({ processedAt: after(10) }) }), finalEvents.approved()]],
];

beforeAll(async () => {
  let last: Last = 'no_stream';
  for (const [recordedAt, events] of APPENDS) {
    const envelope = {
      correlation: 's',
      causation: String(recordedAt),
      actor: 'a',
      merchant: 'acme',
      commandId: `c${recordedAt}`,
      recordedAt,
    };
    await store.append(stream, last === 'no_stream' ? last : last.revision, paymentCodec.encode(events, stream, last, envelope));
    for await (const stored of store.read(stream)) last = { revision: stored.revision, hash: hashOf(stored) };
  }
});

type Recorded = Parameters<OperatorAudit['answered']>;
const recorded: Recorded[] = [];
const ANN: Operator = { name: 'ann', role: 'investigator', tokenSha256: '' };
const controller = new OrderHistoryController(
  new OrderHistories({
    log: store,
    orders: {
      byOrderId: async (merchants, orderId) =>
        orderId === order.orderId && merchants.includes('acme' as MerchantLogin) ? ({ stream } as never) : undefined,
      changedSince: async () => ({ streams: [stream], end: undefined }),
    },
    accounts: { logins: ['acme', 'other'] as MerchantLogin[] },
  }),
  new QueryAudit({ answered: async (...what) => void recorded.push(what) }, { onceKey: (kind, parts) => [kind, ...parts].join(' ') }),
);
afterEach(() => recorded.splice(0));
const questionOf = <Query extends object>(Query: new () => Query, text: string): Promise<Query> =>
  readQuestion(Query, { url: `/x?${text}` });
const jsonOf = (reply: { readonly status: number; readonly body: unknown }) => [reply.status, JSON.parse(String(reply.body)) as unknown];
const state = async (text: string, orderId: string = order.orderId) =>
  jsonOf(await controller.state(orderId, await questionOf(MomentQuery, text), ANN, deadline));
const diff = async (text: string) => jsonOf(await controller.diff(order.orderId, await questionOf(DiffQuery, text), ANN, deadline));
const why = async (text: string) => jsonOf(await controller.why(order.orderId, await questionOf(WhyQuery, text), ANN, deadline));

describe('the state of an order at a point in time', () => {
  it.each([
    ['', 'approved', 5, null],
    ['atVersion=2', 'unknown', 3, { version: 2 }],
    ['knownAt=2026-05-03T12:05:00Z', 'unknown', 3, { knownAt: '2026-05-03T12:05:00.000Z' }],
    ['trueAt=2026-05-03T14:05:00%2B02:00', 'approved', 5, { trueAt: '2026-05-03T12:05:00.000Z' }],
    ['trueAt=2026-05-03T12:00:10Z', 'approved', 4, { trueAt: '2026-05-03T12:00:10.000Z' }],
  ])('%s returns status %s from %i events', async (text, status, events, asOf) => {
    const [code, body] = await state(text);
    expect([code, body]).toStrictEqual([
      200,
      expect.objectContaining({ asOf, eventsNow: 5, state: expect.objectContaining({ status, orderId: order.orderId }) }),
    ]);
    expect((body as { events: object[] }).events).toHaveLength(events);
    expect(JSON.stringify(body)).not.toContain(order.customer);
  });

  it.each([
    ['atVersion=5', 404, 'the order has no such revision'],
    ['knownAt=2026-05-03T11:59Z', 404, 'the order did not exist yet'],
    ['knownAt=2026-05-03T12:00Z&atVersion=1', 400, 'give only one of atVersion, knownAt and trueAt'],
  ])('%s returns %i', async (text, status, error) => expect(await state(text)).toStrictEqual([status, { error }]));

  it('returns 404 for an unknown order', async () => {
    expect(await state('', 'pzzzzzzzzzzzzzzr')).toStrictEqual([404, { error: 'not found' }]);
    expect(await state('', 'x')).toStrictEqual([404, { error: 'not found' }]);
  });
});

it('a diff returns the old and new value of each field with its event, and rejects an invalid range', async () => {
  const [status, { differences }] = (await diff('from=2&to=2026-05-03T12:30Z')) as [number, { differences: object[] }];
  expect(status).toBe(200);
  expect(differences).toContainEqual({
    field: 'status',
    before: 'unknown',
    after: 'approved',
    event: expect.objectContaining({ type: 'OrderApproved', revision: 4, trueAt: '2026-05-03T12:00:10.000Z' }),
  });
  expect(await diff('from=3&to=1')).toStrictEqual([400, { error: 'from is later than to' }]);
  expect(await diff('from=2026-05-03T12:00:04Z&to=2026-05-03T12:00:03Z')).toStrictEqual([400, { error: 'from is later than to' }]);
  expect(await diff('from=3&to=9')).toStrictEqual([404, { error: 'the order has no such revision' }]);
  expect(await diff('from=2026-05-03T12:00:01Z&to=2026-05-03T12:00:15Z&true=true')).toMatchObject([
    200,
    { differences: expect.arrayContaining([expect.objectContaining({ field: 'rrn' })]) },
  ]);
});

describe('the steps of an order', () => {
  const steps = async (operator: Operator = ANN) => jsonOf(await controller.steps(order.orderId, operator, deadline));

  it('contain each event with its changes, and the changes by the clock of the gate', async () => {
    expect(await steps()).toMatchObject([
      200,
      {
        steps: [
          { event: { revision: 0, type: 'OrderAccepted' } },
          { event: { revision: 1 } },
          {
            event: { revision: 2 },
            changes: [{ field: 'status', before: 'processing', after: 'unknown' }, { field: 'stage' }, { field: 'unknownSince' }],
          },
          { event: { revision: 3 } },
          { event: { revision: 4, type: 'OrderApproved', trueAt: '2026-05-03T12:00:10.000Z' } },
        ],
        trueSteps: [
          { trueAt: '2026-05-03T12:00:00.000Z', revisions: [0] },
          { trueAt: '2026-05-03T12:00:01.000Z', revisions: [1] },
          { trueAt: '2026-05-03T12:00:10.000Z', revisions: [3, 4] },
          { trueAt: '2026-05-03T12:00:30.000Z', revisions: [2], changes: [] },
        ],
      },
    ]);
    expect(recorded.map(([, { query, target, rows }]) => [query, target, rows])).toStrictEqual([['order-steps', order.orderId, 1]]);
  });

  it('are not found for an operator of another merchant', async () => {
    expect(await steps({ ...ANN, merchants: ['other' as MerchantLogin] })).toStrictEqual([404, { error: 'not found' }]);
    expect(await steps({ ...ANN, merchants: ['acme' as MerchantLogin] })).toMatchObject([200, {}]);
  });
});

it('a why query returns the event and its causes, and lists the fields for an unknown field', async () => {
  expect(await why('field=status&atVersion=2')).toMatchObject([
    200,
    { values: { status: 'unknown' }, event: { type: 'AttemptUnknown' }, causes: [{ kind: 'elsewhere' }] },
  ]);
  expect(await why('field=colour')).toMatchObject([400, { error: expect.stringMatching(/^no such field; there are orderId, /) }]);
});

it('a query for unknown outcomes returns the orders with their status at that time', async () => {
  const unknown = async (text: string) => jsonOf(await controller.unknown(await questionOf(UnknownQuery, text), ANN, deadline));
  expect(await unknown('knownAt=2026-05-03T12:05Z')).toMatchObject([
    200,
    { orders: [{ orderId: order.orderId, status: 'unknown' }], untold: [] },
  ]);
  expect(await unknown('knownAt=2026-05-03T12:30Z&limit=5')).toStrictEqual([200, { orders: [], untold: [] }]);
});

describe('a history query', () => {
  it.each<[new () => object, string, string]>([
    [MomentQuery, 'at=1', 'property at should not exist'],
    [MomentQuery, 'atVersion=1&atVersion=2', 'each query parameter may occur only once'],
    [MomentQuery, 'atVersion=one', 'atVersion must be a revision, such as 3'],
    [MomentQuery, 'knownAt=2026-05-03', 'knownAt must be a time with Z or an offset, such as 2026-05-03T12:00Z'],
    [DiffQuery, 'from=1', 'to must be a revision, such as 3, or a time with Z or an offset, such as 2026-05-03T12:00Z'],
    [WhyQuery, '', 'field must have 1 to 128 characters'],
    [UnknownQuery, 'knownAt=2026-05-03T12:00Z&limit=201', 'limit must be a whole number from 1 to 200'],
    [UnknownQuery, 'knownAt=2026-05-03T12:00Z&limit=x', 'limit must be a whole number from 1 to 200'],
    [UnknownQuery, 'knownAt=2026-05-03T12:00Z&after=x', 'after must be the next of the previous page'],
    [UnknownQuery, '', 'knownAt must be a time with Z or an offset, such as 2026-05-03T12:00Z'],
  ])('%p %s is rejected', async (Query, text, error) => {
    await expect(questionOf(Query, text)).rejects.toThrow(error);
  });

  it('defaults to a limit of 100', () =>
    expect(questionOf(UnknownQuery, 'knownAt=2026-05-03T12:00Z')).resolves.toMatchObject({ limit: 100 }));

  it('is audited with its target, filters, digest and row count', async () => {
    await state('atVersion=2');
    await state('', 'x');
    await diff('from=2&to=3');
    await why('field=colour');
    expect(
      recorded.map(([by, { query, target, filters, digest, rows }]) => [by.actor, query, target, filters.join(), digest, rows]),
    ).toEqual([
      ['operator:ann', 'order-as-of', order.orderId, 'atVersion', `audit question order-as-of ${order.orderId} atVersion 2`, 1],
      ['operator:ann', 'order-as-of', undefined, '', 'audit question order-as-of ', 0],
      ['operator:ann', 'order-difference', order.orderId, 'from,to', `audit question order-difference ${order.orderId} from 2 to 3`, 1],
      ['operator:ann', 'order-why', order.orderId, 'field', `audit question order-why ${order.orderId} field colour`, 0],
    ]);
  });

  it('fails if it cannot be audited', async () => {
    const failing = new QueryAudit({ answered: () => Promise.reject(new StoreUnavailable('away')) }, { onceKey: () => '' });
    const histories = { state: () => Promise.resolve({ told: true }) } as unknown as OrderHistories;
    const unrecorded = new OrderHistoryController(histories, failing);
    await expect(unrecorded.state(order.orderId, await questionOf(MomentQuery, ''), ANN, deadline)).rejects.toThrow(StoreUnavailable);
  });
});
