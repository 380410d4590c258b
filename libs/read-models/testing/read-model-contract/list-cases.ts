import fc from 'fast-check';
import { sql } from 'kysely';
import { streamName, type StreamName } from '@app/event-store';
import { addMs, type Currency, type EndpointId, type MerchantLogin } from '@app/kernel';
import { wholeNumber } from '@app/testing';
import type { ReadModel } from '../../read-model';
import { isListed, type OrderListFilter } from '../../order-list/order-list.filter';
import type { ListAsked, ListedRecord, ListCursor, Named } from '../../order-list/order-list.queries';
import { KINDED_IDENTIFIERS } from '../../order-list/order-search.fold';
import { orderLife, type Story } from '../order-life';
import { ACME, paymentAccepted, recurrentAccepted, START } from '../sample-orders';
import { emptyTables } from './projecting-deaths';
import { APPROVED, type ReadModelWorld } from './read-model-world';

const RUNS = wholeNumber('LIST_RUNS', 25);
const SEED = wholeNumber('LIST_SEED', 1);
const MERCHANTS = [ACME, 'umbrella' as MerchantLogin] as const;
const ENDPOINTS = ['1001', '1002', '2001'] as const;
const PAGES_MAX = 200;

interface Made {
  readonly number: number;
  readonly isRecurring: boolean;
  readonly choices: readonly number[];
  readonly merchant: number;
  readonly endpoint: number;
  readonly at: number;
}

const storyOf = ({ number, isRecurring, choices, merchant, endpoint, at }: Made): Story => {
  const login = MERCHANTS[merchant] ?? ACME;
  const own = {
    merchant: login,
    endpointId: (ENDPOINTS[endpoint] ?? '1001') as EndpointId,
    acceptedAt: addMs(START, at * 1_000),
  };
  const gates = ['sim-a', 'sim-b'] as const;
  const [payment, recurrent] = [paymentAccepted(number, gates), recurrentAccepted(number, gates)];
  const acceptance = isRecurring
    ? { ...recurrent, data: { ...recurrent.data, ...own } }
    : { ...payment, data: { ...payment.data, ...own } };
  return { stream: streamName(isRecurring ? 'recurring' : 'payment', login, String(number)), events: orderLife(acceptance, choices) };
};

const made = fc.record({
  isRecurring: fc.boolean(),
  choices: fc.array(fc.nat(5), { maxLength: 9 }),
  merchant: fc.nat(1),
  endpoint: fc.nat(2),
  at: fc.nat(9),
});
const stories = fc
  .array(made, { minLength: 1, maxLength: 14 })
  .map((all) => all.map((one, index) => storyOf({ ...one, number: index + 1 })));

const time = fc.nat(11).map((second) => addMs(START, second * 1_000));
const filters: fc.Arbitrary<OrderListFilter> = fc.record(
  {
    merchant: fc.constantFrom(...MERCHANTS),
    endpoint: fc.constantFrom(...ENDPOINTS).map((id) => id as EndpointId),
    kind: fc.constantFrom('payment', 'recurring'),
    operation: fc.constantFrom('sale', 'preauth'),
    status: fc.constantFrom('approved', 'declined', 'unknown', 'filtered', 'processing', 'error'),
    stage: fc.constantFrom('sale_approved', 'sale_declined', 'sale_unknown', 'chargeback_approved', 'reversal_approved'),
    gate: fc.constantFrom('sim-a', 'sim-b').map((alias) => alias as NonNullable<OrderListFilter['gate']>),
    code: fc.constantFrom(100, 110, 120, 121, 122),
    currency: fc.constantFrom('USD', 'EUR').map((currency) => currency as Currency),
    amountFrom: fc.bigInt({ min: 1_040n, max: 1_060n }),
    amountTo: fc.bigInt({ min: 1_040n, max: 1_060n }),
    createdFrom: time,
    createdTo: time,
    updatedFrom: time,
    updatedTo: time,
  },
  { requiredKeys: [] },
);

const isNewerFirst = (a: ListCursor, b: ListCursor): number =>
  b.createdAt - a.createdAt || (a.stream === b.stream ? 0 : a.stream < b.stream ? 1 : -1);
const placeOf = ({ stream, view }: ListedRecord): ListCursor => ({ createdAt: view.acceptedAt, stream });

const pagesOf = async (
  model: ReadModel,
  filter: OrderListFilter,
  asked: Omit<ListAsked, 'after'>,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<readonly ListedRecord[]> => {
  const orders: ListedRecord[] = [];
  let after: ListCursor | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { orders: some, next } = await model.orderList.page(filter, { ...asked, after });
    expect(some.length).toBeLessThanOrEqual(asked.limit);
    orders.push(...some);
    if (next === undefined) return orders;
    after = next;
    await between();
  }
  throw new Error('a list without an end');
};

export const listCases = (world: ReadModelWorld): void => {
  const { live, over, project, write } = world;
  const streamsOf = (orders: readonly ListedRecord[]): readonly StreamName[] => orders.map(({ stream }) => stream);
  const emptied = async (): Promise<void> => {
    await emptyTables(world.database);
    await world.replaceStore();
  };

  describe('list of orders', () => {
    it('contains every order that matches the filter, newest first, for any page size and search depth', async () => {
      await fc.assert(
        fc
          .asyncProperty(
            stories,
            filters,
            fc.integer({ min: 1, max: 4 }),
            fc.integer({ min: 1, max: 6 }),
            async (all, filter, limit, looked) => {
              const model = await live(all);
              const every = await pagesOf(model, {}, { limit: 100 });
              expect(streamsOf(every)).toHaveLength(all.length);
              expect(every.map(placeOf)).toStrictEqual(every.map(placeOf).sort(isNewerFirst));
              const wanted = streamsOf(every.filter((order) => isListed(filter, order)));
              expect(streamsOf(await pagesOf(model, filter, { limit, lookedAtMax: looked }))).toStrictEqual(wanted);
              const streams = streamsOf(every).filter((_stream, index) => index % 2 === 0);
              const named = await pagesOf(model, filter, { limit, named: { streams } });
              expect(streamsOf(named)).toStrictEqual(wanted.filter((stream) => streams.includes(stream)));
              for (const some of [MERCHANTS.slice(0, 1), MERCHANTS])
                expect(streamsOf(await pagesOf(model, filter, { limit, lookedAtMax: looked, of: some }))).toStrictEqual(
                  streamsOf(every.filter((order) => isListed(filter, order) && some.includes(order.view.merchant))),
                );
              await model.release();
            },
          )
          .afterEach(emptied),
        { numRuns: RUNS, seed: SEED },
      );
    });

    it('has full pages if one of many merchants has nearly all orders', async () => {
      const all = Array.from({ length: 27 }, (_, index): Made => ({
        number: index + 1,
        isRecurring: false,
        choices: APPROVED,
        merchant: index % 9 === 4 ? 1 : 0,
        endpoint: 0,
        at: index,
      }));
      const model = await live(all.map(storyOf));
      const of = [...MERCHANTS, ...Array.from({ length: 10 }, (_, index) => `idle-${index}` as MerchantLogin)];
      const sizes: number[] = [];
      const listed: ListedRecord[] = [];
      let after: ListCursor | undefined;
      do {
        const page = await model.orderList.page({ kind: 'payment' }, { limit: 10, of, after });
        expect(page.isCutShort).toBe(false);
        sizes.push(page.orders.length);
        listed.push(...page.orders);
        after = page.next;
      } while (after !== undefined);
      expect(sizes).toStrictEqual([10, 10, 7]);
      expect(streamsOf(listed)).toStrictEqual(streamsOf(await pagesOf(model, {}, { limit: 100 })));
    });

    it('contains each earlier order exactly once while other orders arrive between its pages', async () => {
      const old = Array.from({ length: 9 }, (_, index): Made => ({
        number: index + 1,
        isRecurring: index % 2 === 0,
        choices: index % 3 === 0 ? [0, 1, 0, 1] : APPROVED,
        merchant: index % 2,
        endpoint: 0,
        at: 2 * (index % 5),
      }));
      const model = await live(old.map(storyOf));
      let number = 100;
      const comeIn = async (): Promise<void> => {
        number += 2;
        const [newer, older] = [
          { ...old[0], number, at: 50 + number },
          { ...old[1], number: number + 1, at: 1 },
        ] as Made[];
        if (newer === undefined || older === undefined) throw new Error('nothing comes in');
        await write(storyOf(newer), storyOf(older));
        await project(model);
      };
      for (const lookedAtMax of [1, 3, 100]) {
        const filter: OrderListFilter = { status: 'approved', kind: 'payment' };
        const before = streamsOf(await pagesOf(model, filter, { limit: 100 }));
        const paged = streamsOf(await pagesOf(model, filter, { limit: 1, lookedAtMax }, number < 130 ? comeIn : undefined));
        expect(new Set(paged).size).toBe(paged.length);
        expect(paged.filter((stream) => before.includes(stream))).toStrictEqual(before);
      }
    });

    it('ends a page of some merchants at one of their orders, whatever is between', async () => {
      const model = await live(
        [0, 1, 1, 1, 1, 0].map((merchant, number) =>
          storyOf({ number: number + 1, isRecurring: false, choices: APPROVED, merchant, endpoint: 0, at: number }),
        ),
      );
      const own = (await pagesOf(model, { merchant: ACME }, { limit: 10 })).map(placeOf);
      for (const filter of [{}, { status: 'unknown' }, { code: 116 }, { gate: 'none' as never }] as const) {
        const { next } = await model.orderList.page(filter, { limit: 1, lookedAtMax: 1, of: [ACME] });
        expect(own).toContainEqual(next);
      }
    });

    it('returns a cursor to continue if it reached the search depth of one page', async () => {
      const model = await live(
        [1, 2, 3, 4].map((number) => storyOf({ number, isRecurring: false, choices: APPROVED, merchant: 0, endpoint: 0, at: number })),
      );
      const page = await model.orderList.page({ gate: 'sim-b' as never }, { limit: 10, lookedAtMax: 2 });
      expect(page).toMatchObject({ orders: [], isCutShort: true, next: { createdAt: addMs(START, 3_000) } });
      const rest = await model.orderList.page({ gate: 'sim-b' as never }, { limit: 10, lookedAtMax: 3, after: page.next });
      expect(rest).toStrictEqual({ orders: [], isCutShort: false, next: undefined });
    });

    it('finds orders by masked card, by approval code and by any of several identifiers', async () => {
      const all = [1, 2, 3].map((number) =>
        storyOf({ number, isRecurring: false, choices: APPROVED, merchant: 0, endpoint: 0, at: number }),
      );
      const open = storyOf({ number: 4, isRecurring: false, choices: [], merchant: 0, endpoint: 0, at: 4 });
      const model = await live([...all, open]);
      const found = async (...carrying: NonNullable<Named['carrying']>) =>
        streamsOf(await pagesOf(model, {}, { limit: 2, named: { carrying } }));
      const [mask, code] = [KINDED_IDENTIFIERS.mask('444433', '1111'), KINDED_IDENTIFIERS.approvalCode('A1')];
      const newestFirst = all.map(({ stream }) => stream).reverse();
      for (const card of [mask, KINDED_IDENTIFIERS.lastFour('1111')])
        expect(await found({ identifiers: [card] })).toStrictEqual([open.stream, ...newestFirst]);
      expect(await found({ identifiers: [mask] }, { identifiers: [code] })).toStrictEqual(newestFirst);
      expect(await found({ identifiers: ['none', code] })).toStrictEqual(newestFirst);
      expect(await found({ identifiers: [...Array.from({ length: 500 }, (_, at) => `none-${at}`), code] })).toStrictEqual(newestFirst);
      expect(await found({ identifiers: [mask] }, { identifiers: ['none'] })).toStrictEqual([]);
      expect(await found({ identifiers: ['none'], others: [open.stream] })).toStrictEqual([open.stream]);
      await expect(model.search.streamsNamed(code)).resolves.toHaveLength(3);
    });

    it('omits orders that a damaged index lists wrongly, until the row is projected again', async () => {
      const story = storyOf({ number: 1, isRecurring: false, choices: APPROVED, merchant: 0, endpoint: 0, at: 0 });
      const model = await live([story]);
      await sql`update order_status_g1_list set merchant = 'umbrella'`.execute(world.database.writes);
      const umbrella = { merchant: 'umbrella' as MerchantLogin };
      expect((await model.orderList.page(umbrella, { limit: 5 })).orders).toStrictEqual([]);
      expect((await model.orderList.page({ merchant: ACME }, { limit: 5 })).orders).toStrictEqual([]);
      await sql`update order_status_g1 set status = 'declined'`.execute(world.database.writes);
      await model.orders.byStream(ACME, story.stream);
      await model.release();
      const [order] = (await model.orderList.page({ merchant: ACME }, { limit: 5 })).orders;
      expect(order).toMatchObject({ stream: story.stream, view: { status: 'approved' } });
    });

    it('is empty before the first build, and for an empty set of streams', async () => {
      const nothing = { orders: [], next: undefined, isCutShort: false };
      await expect(over().orderList.page({}, { limit: 1 })).resolves.toStrictEqual(nothing);
      const model = await live([storyOf({ number: 1, isRecurring: false, choices: [], merchant: 0, endpoint: 0, at: 0 })]);
      await expect(model.orderList.page({}, { limit: 1, named: { streams: [] } })).resolves.toStrictEqual(nothing);
      await expect(model.orderList.page({ createdTo: START }, { limit: 1 })).resolves.toStrictEqual(nothing);
    });
  });
};
