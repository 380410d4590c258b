import { type AnyEvent, type StoredEvent, type StreamName, metadataOf, StoreUnavailable, streamName } from '@app/event-store';
import { type MerchantLogin, addMs, EndableDeadline } from '@app/kernel';
import { eventually, stopwatch } from '@app/testing';
import type { ListPlace } from '../../engine/index-parts';
import { unknownMinor, unknownSince } from '../../order-status/order-status.view';
import type { CaseFilter } from '../../reconciliation/reconciliation-case.queries';
import { cardReferenceStory, caseStory, orderLife, paymentStory, recurringStory, reopenedCaseStory, type Story } from '../order-life';
import { ACME, cardRefIdOf, orderIdOf, paymentAccepted, START } from '../sample-orders';
import { wholeLog } from '../written-log';
import { APPROVED, DECLINED, OPEN, FOLLOWED_UNKNOWN, type ReadModelWorld } from './read-model-world';

const OTHER = 'umbrella' as MerchantLogin;
const QUERIES_AT_ONCE = 9;
const ENDED_WITHIN_MS = 3_000;

export const deadlineCases = (world: ReadModelWorld): void => {
  const { live } = world;

  describe('query with a deadline', () => {
    const [story] = [paymentStory(1, APPROVED)];

    it('is not started if the deadline has passed', async () => {
      const model = await live([story]);
      const deadline = new EndableDeadline();
      await expect(model.orders.byStream(ACME, story.stream, deadline)).resolves.toMatchObject({ stream: story.stream });
      deadline.end();
      await expect(model.orders.byStream(ACME, story.stream, deadline)).rejects.toThrow(StoreUnavailable);
      await expect(model.search.streamsNamed(story.stream, { deadline })).rejects.toThrow(StoreUnavailable);
      await expect(model.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ stream: story.stream });
    });

    it('ends at the deadline and frees its connection and its statement', async () => {
      if (world.place.stall === undefined) return expect(world.database.isShared).toBe(false);
      const model = await live([story]);
      await model.orders.byStream(ACME, story.stream);
      const stalled = await world.place.stall('order_status_g1');
      const deadline = new EndableDeadline();
      const asked = Array.from({ length: QUERIES_AT_ONCE }, () => model.orders.byStream(ACME, story.stream, deadline));
      const ended = Promise.allSettled(asked);
      await eventually(async () => (await stalled.waiting()) > 0);
      const since = stopwatch();
      deadline.end();
      const reasons = (await ended).map((one) => (one.status === 'rejected' ? (one.reason as Error).name : 'answered'));
      expect(new Set(reasons)).toStrictEqual(new Set(['StoreUnavailable']));
      await eventually(async () => (await stalled.waiting()) === 0);
      expect(since.stop()).toBeLessThan(ENDED_WITHIN_MS);
      await stalled.end();
      await expect(model.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ stream: story.stream });
      return undefined;
    });
  });
};

export const answerCases = (world: ReadModelWorld): void => {
  const { over, live, project } = world;

  describe('returns', () => {
    it('orders accepted by a given time that changed later or are still unknown, page by page', async () => {
      const stories = [paymentStory(1, APPROVED), paymentStory(2, OPEN), paymentStory(3, DECLINED), recurringStory(4, APPROVED)] as const;
      const { operatorOrders } = await live(stories);
      const [, open] = stories.map(({ stream }) => stream);
      const sorted = stories.map(({ stream }) => stream).toSorted();
      const changed = async (ms: number, merchant?: MerchantLogin) =>
        (await operatorOrders.changedSince(addMs(START, ms), 100, { merchants: merchant && [merchant] })).streams;
      await expect(changed(-1)).resolves.toStrictEqual([]);
      await expect(changed(20)).resolves.toStrictEqual(sorted);
      await expect(changed(30)).resolves.toStrictEqual([open]);
      await expect(changed(20, OTHER)).resolves.toStrictEqual([]);
      let after: StreamName | undefined;
      const seen: StreamName[] = [];
      for (let part = 0; part < stories.length; part++) {
        const { streams, end } = await operatorOrders.changedSince(addMs(START, 20), 1, { after });
        seen.push(...streams);
        expect(end).toBe(sorted[part]);
        after = end;
      }
      expect(seen).toStrictEqual(sorted);
      await expect(operatorOrders.changedSince(START, 1, { after })).resolves.toStrictEqual({ streams: [], end: undefined });
    });

    it('orders by stream and by order id, for each kind of order', async () => {
      const payment = paymentStory(1, APPROVED);
      const recurring = recurringStory(1, DECLINED);
      const model = await live([payment, recurring, paymentStory(2, OPEN)]);
      const byStream = await model.orders.byStream(ACME, payment.stream);
      expect(byStream).toMatchObject({ stream: payment.stream, revision: 3n, view: { status: 'approved', orderId: orderIdOf('p', 1) } });
      await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toStrictEqual(byStream);
      await expect(model.orders.byStream(ACME, recurring.stream)).resolves.toMatchObject({
        stream: recurring.stream,
        view: { kind: 'recurring', status: 'declined', clientOrderId: 'order-1' },
      });
    });

    it('gate attempts of a period, page by page, and by stream', async () => {
      const payment = paymentStory(1, APPROVED);
      const stories = [payment, recurringStory(2, OPEN), paymentStory(3, DECLINED)];
      const model = await live(stories);
      const forever = addMs(START, 1_000_000);
      const whole = await model.gateAttempts.touchedIn(START, forever, 10);
      expect(whole.next).toBeUndefined();
      expect(new Set(whole.records.map(({ stream }) => stream))).toStrictEqual(new Set(stories.map(({ stream }) => stream)));
      const [first, ...others] = whole.records;
      const page = await model.gateAttempts.touchedIn(START, forever, 1);
      expect(page.records).toStrictEqual([first]);
      expect((await model.gateAttempts.touchedIn(START, forever, 10, page.next)).records).toStrictEqual(others);
      await expect(model.gateAttempts.touchedIn(forever, forever, 10)).resolves.toStrictEqual({ records: [], next: undefined });
      await expect(model.gateAttempts.touchedIn(START, START, 10)).resolves.toMatchObject({ records: [] });
      await expect(model.gateAttempts.ofStreams([payment.stream, streamName('payment', 'none')])).resolves.toMatchObject([
        { stream: payment.stream, view: { orderId: orderIdOf('p', 1), asked: [{ gate: 'sim-a', status: 'approved' }] } },
      ]);
    });

    it('calls by gate and orders by outcome in each minute, of all merchants or some', async () => {
      const stories = [paymentStory(1, APPROVED), recurringStory(2, OPEN), paymentStory(3, DECLINED), paymentStory(4, APPROVED)];
      const model = await live(stories);
      const counted = (until: number, merchants?: readonly MerchantLogin[]) =>
        model.gateMinutes.between(START, addMs(START, until), merchants);
      const call = (outcome: string, count: number, code?: number) =>
        expect.objectContaining({ at: START, count, gate: 'sim-a', outcome, code }) as unknown;
      const orders = [{ at: START, count: 2, outcome: 'approved' }, { at: START, count: 1, outcome: 'declined' }]; // prettier-ignore
      const all = { orders, calls: [call('approved', 2), call('declined', 1, 100), call('unknown', 1)] };
      expect(await counted(60_000)).toStrictEqual(all);
      expect((await counted(60_000)).calls.map(({ latency }) => latency.reduce((sum, count) => sum + count, 0))).toStrictEqual([2, 1, 1]);
      expect(await counted(60_000, [ACME, OTHER])).toStrictEqual(all);
      expect(await counted(60_000, [OTHER])).toStrictEqual({ orders: [], calls: [] });
      expect(await counted(60_000, [])).toStrictEqual({ orders: [], calls: [] });
      expect(await counted(0)).toStrictEqual({ orders: [], calls: [] });
    });

    it('the order for the key of its gate attempt', async () => {
      const story = paymentStory(1, APPROVED);
      const model = await live([story]);
      const [record] = await model.gateAttempts.ofStreams([story.stream]);
      await expect(model.search.streamsNamed(record?.view.asked[0]?.key ?? '')).resolves.toStrictEqual([story.stream]);
    });

    it('the open reconciliation cases by gate, and their count by gate and kind', async () => {
      const [one, two, ended] = [caseStory(1, 'sim-a'), caseStory(2, 'sim-b'), caseStory(3, 'sim-a', true)];
      const model = await live([one, two, ended]);
      const streamsOf = async (gate: string | undefined, isOpen: boolean) =>
        (await model.reconciliationCases.list({ gate, isOpen, limit: 9 })).map(({ stream }) => stream);
      expect(await streamsOf(undefined, true)).toStrictEqual([one.stream, two.stream]);
      expect(await streamsOf('sim-a', true)).toStrictEqual([one.stream]);
      expect(await streamsOf('sim-a', false)).toStrictEqual([one.stream, ended.stream]);
      await expect(model.reconciliationCases.byStream(ended.stream)).resolves.toMatchObject({ view: { status: 'closed' } });
      await expect(model.reconciliationCases.byStream(streamName('reconciliation', 'none'))).resolves.toBeUndefined();
      await expect(model.reconciliationCases.open()).resolves.toStrictEqual([
        { gate: 'sim-a', kind: 'missing-here', count: 1, oldestAt: addMs(START, 1) },
        { gate: 'sim-b', kind: 'missing-here', count: 1, oldestAt: addMs(START, 2) },
      ]);
    });

    it('the reconciliation cases of each filter, in pages, the oldest first', async () => {
      const order = { orderId: orderIdOf('p', 1), merchant: ACME };
      const about = ({ stream, events: [opened, ...others] }: Story): Story => ({
        stream,
        events: [{ ...opened, data: { ...opened?.data, order } } as AnyEvent, ...others],
      });
      const stories = [about(caseStory(1, 'sim-a')), about(caseStory(2, 'sim-b')), caseStory(3, 'sim-a', true), caseStory(4, 'sim-a')];
      const model = await live(stories);
      const numbersOf = async (filter: Omit<CaseFilter, 'isOpen'> & { readonly isOpen?: boolean }) => {
        const numbers: number[] = [];
        let after: ListPlace | undefined;
        do {
          const page = await model.reconciliationCases.page({ isOpen: true, ...filter }, { limit: 1, after });
          numbers.push(...page.records.map(({ stream }) => stories.findIndex((story) => story.stream === stream) + 1));
          after = page.next;
        } while (after !== undefined);
        const { count } = await model.reconciliationCases.count({ isOpen: true, ...filter });
        expect({ filter, count }).toStrictEqual({ filter, count: numbers.length });
        return numbers;
      };
      expect(await numbersOf({})).toStrictEqual([1, 2, 4]);
      expect(await numbersOf({ isOpen: false })).toStrictEqual([1, 2, 3, 4]);
      expect(await numbersOf({ gate: 'sim-a', isOpen: false })).toStrictEqual([1, 3, 4]);
      expect(await numbersOf({ kind: 'missing-here', gate: 'sim-b' })).toStrictEqual([2]);
      expect(await numbersOf({ kind: 'duplicate' })).toStrictEqual([]);
      expect(await numbersOf({ since: addMs(START, 2), until: addMs(START, 4) })).toStrictEqual([2]);
      expect(await numbersOf({ order: order.orderId })).toStrictEqual([1, 2]);
      expect(await numbersOf({ order: order.orderId, merchants: [ACME], gate: 'sim-a' })).toStrictEqual([1]);
      expect(await numbersOf({ order: 'p2222222222222222' })).toStrictEqual([]);
      expect(await numbersOf({ merchants: [ACME], gate: 'sim-b' })).toStrictEqual([2]);
      expect(await numbersOf({ order: order.orderId, merchants: [OTHER] })).toStrictEqual([]);
      expect(await numbersOf({ merchants: [ACME, OTHER] })).toStrictEqual([1, 2]);
      expect(await numbersOf({ merchants: [] })).toStrictEqual([]);
    });

    it('the proposals about an order by the order’s stream, whatever their target is', async () => {
      const stream = streamName('approval', '1');
      const about = { action: 'erase-card', target: 'a card reference', merchant: ACME, orderStream: 'payment-a' };
      const times = { proposedAt: START, expiresAt: addMs(START, 1) };
      const proposed = { type: 'ActionProposed', data: { ...about, proposer: 'operator:kim', reason: 'sealed', ...times } };
      const approved = { type: 'ActionApproved', data: { approver: 'operator:ann', isAlone: false, approvedAt: START } };
      const model = await live([{ stream, events: [proposed, approved] }]);
      await expect(model.mentions.of('payment-a', 9)).resolves.toStrictEqual([{ stream, revision: 0n }]);
      await expect(model.mentions.of(about.target, 9)).resolves.toStrictEqual([]);
    });

    it('the cases, operator actions and reveals that mention an order, in order, separately from other queries', async () => {
      const order = orderIdOf('p', 1);
      const { stream, events } = caseStory(1, 'sim-a', true);
      const [opened, ...ended] = events;
      const ofOrder: Story = {
        stream,
        events: [{ type: 'CaseOpened', data: { ...opened?.data, order: { orderId: order, merchant: ACME } } }, ...ended],
      };
      const process = streamName('operator', 'boot');
      const begun = (actionId: string, target: string) => ({ type: 'OperatorActionBegun', data: { actionId, target } });
      const asked = (queryId: string, data: object) => ({ type: 'OperatorQueryAnswered', data: { queryId, ...data } });
      const acted: Story = {
        stream: process,
        events: [
          begun('a-1', 'other'),
          begun('a-2', order),
          { type: 'OperatorActionEnded', data: { actionId: 'a-2' } },
          asked('q-1', { target: order }),
          asked('q-2', { target: order, revealed: { texts: 1, reason: 'sealed' } }),
          asked('q-3', {}),
        ],
      };
      const model = await live([ofOrder, acted]);
      const mentions = [
        { stream: process, revision: 1n },
        { stream: process, revision: 4n },
        { stream, revision: 0n },
      ];
      await expect(model.mentions.of(order, 9)).resolves.toStrictEqual(mentions);
      await expect(model.mentions.of(order, 1)).resolves.toStrictEqual(mentions.slice(0, 1));
      await expect(model.mentions.of('a-2', 9)).resolves.toStrictEqual([{ stream: process, revision: 2n }]);
      await expect(model.mentions.questionsAbout(order, 9)).resolves.toStrictEqual([{ stream: process, revision: 3n }]);
      await expect(model.mentions.questionsAbout('other', 9)).resolves.toStrictEqual([]);
      for (const nothing of ['a-1', order.slice(0, -1), '', 'x'.repeat(300)])
        await expect(model.mentions.of(nothing, 9)).resolves.toStrictEqual([]);
    });

    it('a reopened reconciliation case as open since it was reopened', async () => {
      const model = await live([]);
      const again = reopenedCaseStory(1, 'sim-a', 9);
      await world.write(again, caseStory(2, 'sim-a'));
      const log = await wholeLog(world.store, model.categories);
      for (const end of [1, 2, log.length]) await project(model, log.slice(0, end));
      await expect(model.reconciliationCases.byStream(again.stream)).resolves.toMatchObject({ view: { status: 'open', effect: null } });
      const open = await model.reconciliationCases.list({ isOpen: true, limit: 9 });
      expect(open.map(({ stream }) => stream)).toStrictEqual([caseStory(2, 'sim-a').stream, again.stream]);
      await expect(model.reconciliationCases.open()).resolves.toStrictEqual([
        { gate: 'sim-a', kind: 'missing-here', count: 2, oldestAt: addMs(START, 2) },
      ]);
    });

    it('nothing for another merchant or for unknown ids', async () => {
      const story = paymentStory(1, APPROVED);
      const model = await live([story, cardReferenceStory(1)]);
      const other = 'other' as MerchantLogin;
      await expect(model.orders.byStream(other, story.stream)).resolves.toBeUndefined();
      await expect(model.orders.byOrderId(other, orderIdOf('p', 1))).resolves.toBeUndefined();
      await expect(model.cardReferences.byReference(other, cardRefIdOf(1))).resolves.toBeUndefined();
      await expect(model.orders.byOrderId(ACME, orderIdOf('p', 9))).resolves.toBeUndefined();
      await expect(model.orders.byStream(ACME, streamName('payment', 'none'))).resolves.toBeUndefined();
    });

    it('card references by reference and by card, newest first', async () => {
      const model = await live([cardReferenceStory(1), cardReferenceStory(2), cardReferenceStory(8)]);
      const one = await model.cardReferences.byReference(ACME, cardRefIdOf(1));
      expect(one?.view).toMatchObject({ cardRefId: cardRefIdOf(1), use: 'source', orderId: orderIdOf('p', 1) });
      const uid = one?.view.card.uid;
      if (uid === undefined) throw new Error('no card');
      const found = await model.cardReferences.byCard(ACME, uid, 10);
      expect(found.map(({ view }) => view.cardRefId)).toStrictEqual([cardRefIdOf(8), cardRefIdOf(1)]);
      await expect(model.cardReferences.byCard(ACME, uid, 1)).resolves.toHaveLength(1);
      const [newest, ...older] = found;
      if (newest === undefined) throw new Error('no reference');
      await expect(model.cardReferences.byCard(ACME, uid, 10, newest.view.issuedAt)).resolves.toStrictEqual(older);
      await expect(model.cardReferences.byCard(ACME, `${uid}\0` as typeof uid, 1)).resolves.toStrictEqual([]);
    });

    it('the order for a request serial, a receipt id or a gate reference', async () => {
      const story = paymentStory(1, APPROVED);
      const model = await live([story, paymentStory(2, OPEN), paymentStory(3, [0, 4])]);
      const { view } = (await model.orders.byStream(ACME, story.stream)) ?? {};
      // In these stories requests of different orders share serials, unlike in production.
      await expect(model.search.streamsNamed(view?.requests[0]?.serial ?? '')).resolves.toContain(story.stream);
      for (const identifier of [view?.receiptId, view?.receipt?.transactionId]) {
        await expect(model.search.streamsNamed(identifier ?? '')).resolves.toStrictEqual([story.stream]);
        await expect(model.search.streamsNamed((identifier ?? '').slice(0, -1))).resolves.toStrictEqual([]);
        await expect(model.search.streamsNamed(`${identifier} ${story.stream}`)).resolves.toStrictEqual([]);
      }
      for (const nothing of ['', ' ', '%', 'x'.repeat(300), '\0', '1\u000023'])
        await expect(model.search.streamsNamed(nothing)).resolves.toStrictEqual([]);
    });

    it('several orders if a gate used a reference number twice', async () => {
      const stories = [paymentStory(1, APPROVED), recurringStory(2, APPROVED)];
      const model = await live(stories);
      await expect(model.search.streamsNamed('123')).resolves.toStrictEqual(stories.map(({ stream }) => stream).sort());
    });

    it('all orders of a card and of a card reference, page by page', async () => {
      const own = [1, 2, 3, 4, 5].map((number) => paymentStory(number, OPEN));
      const charged = [6, 7].map((number) => recurringStory(number, OPEN));
      const model = await live([...own, ...charged]);
      const uidOf = async (stream: StreamName) => (await model.orders.byStream(ACME, stream))?.view.card?.uid ?? '';
      for (const { stream } of own) {
        const named = await model.search.streamsNamed(await uidOf(stream));
        expect(named).toContain(stream);
        const paged: StreamName[] = [];
        for (let from: StreamName | undefined; ; from = `${paged.at(-1)}!` as StreamName) {
          const page = await model.search.streamsNamed(await uidOf(stream), { ...(from !== undefined && { from }), limit: 2 });
          paged.push(...page);
          if (page.length < 2) break;
        }
        expect(paged).toStrictEqual(named);
      }
      for (const { stream } of charged) {
        const reference = (await model.orders.byStream(ACME, stream))?.view.cardRefId ?? '';
        await expect(model.search.streamsNamed(reference)).resolves.toContain(stream);
        await expect(model.search.streamsNamed(reference, { from: stream, limit: 1 })).resolves.toStrictEqual([stream]);
      }
    });

    it('only the orders with an unknown outcome, up to the limit', async () => {
      const [one, two] = [paymentStory(1, [0, 2]), recurringStory(2, [0, 2])];
      const model = await live([one, two, paymentStory(3, APPROVED), paymentStory(4, [0, 2, 0, 0])]);
      const { records: unknown } = await model.operatorOrders.unknown(undefined, { limit: 10 });
      expect(unknown.map(({ view }) => view.status)).toStrictEqual(['unknown', 'unknown']);
      expect(unknown.map(({ stream }) => stream).sort()).toStrictEqual([one.stream, two.stream].sort());
      const first = await model.operatorOrders.unknown(undefined, { limit: 1 });
      expect(first.records).toStrictEqual(unknown.slice(0, 1));
      await expect(model.operatorOrders.unknown(undefined, { limit: 1, after: first.next })).resolves.toStrictEqual({
        records: unknown.slice(1),
        next: undefined,
      });
    });

    it('orders with an unknown outcome of one merchant or of all, the longest unknown first, whenever they were accepted', async () => {
      const ofOther = [OPEN, FOLLOWED_UNKNOWN, [0, 1, 1, 0, 1, 1, 0, 2]].map((choices, number): Story => {
        const { type, data } = paymentAccepted(number);
        const acceptance = { type, data: { ...data, merchant: OTHER, acceptedAt: addMs(START, -number) } };
        return { stream: streamName('payment', OTHER, String(number)), events: orderLife(acceptance, choices) };
      });
      const own = paymentStory(4, [0, 4, 0, 2]);
      const model = await live([...ofOther, own]);
      const streamsOf = async (limit: number, merchant?: MerchantLogin): Promise<readonly string[]> =>
        (await model.operatorOrders.unknown(merchant && [merchant], { limit })).records.map(({ stream }) => stream);
      await expect(streamsOf(1, ACME)).resolves.toStrictEqual([own.stream]);
      const oldestFirst = ofOther.map(({ stream }) => stream);
      await expect(streamsOf(10, OTHER)).resolves.toStrictEqual(oldestFirst);
      await expect(streamsOf(2, OTHER)).resolves.toStrictEqual(oldestFirst.slice(0, 2));
      await expect(streamsOf(10)).resolves.toStrictEqual([...oldestFirst.slice(0, 1), own.stream, ...oldestFirst.slice(1)]);
      await expect(streamsOf(10, 'nobody' as MerchantLogin)).resolves.toStrictEqual([]);
    });

    it('an approved order as unknown while a follow-up has an unknown outcome', async () => {
      const [open, told] = [paymentStory(1, FOLLOWED_UNKNOWN), paymentStory(2, [...FOLLOWED_UNKNOWN, 2])];
      expect(open.events.at(-1)?.type).toBe('FollowUpUnknown');
      const model = await live([open, told]);
      const { records: unknown } = await model.operatorOrders.unknown(undefined, { limit: 10 });
      expect(unknown.map(({ stream, view }) => [stream, view.status])).toStrictEqual([[open.stream, 'approved']]);
    });

    it('an order by its id among the given merchants', async () => {
      const model = await live([paymentStory(1, APPROVED)]);
      const others = Array.from({ length: 2_500 }, (_, number) => `m${number}` as MerchantLogin);
      await expect(model.operatorOrders.byOrderId([...others, ACME], orderIdOf('p', 1))).resolves.toMatchObject({
        view: { orderId: orderIdOf('p', 1) },
      });
      await expect(model.operatorOrders.byOrderId(others, orderIdOf('p', 1))).resolves.toBeUndefined();
      await expect(model.operatorOrders.byOrderId([], orderIdOf('p', 1))).resolves.toBeUndefined();
    });

    it('count and age of unknown outcomes and of open work', async () => {
      const [unknown, followed] = [paymentStory(1, OPEN), paymentStory(2, FOLLOWED_UNKNOWN)];
      const model = await live([unknown, followed, paymentStory(3, APPROVED)]);
      const { records: rows } = await model.operatorOrders.unknown(undefined, { limit: 10 });
      expect(rows.map(({ view }) => unknownSince(view))).toStrictEqual([addMs(START, 2_000), addMs(START, 5_000)]);
      await expect(model.openCounts.unknownOutcomes()).resolves.toStrictEqual({ count: 2, oldestAt: addMs(START, 2_000) });
      const minor = rows.reduce((sum, { view }) => sum + unknownMinor(view), 0n);
      expect(minor).toBeGreaterThan(0n);
      await expect(model.openCounts.unknownAmounts()).resolves.toStrictEqual([{ currency: rows[0]?.view.currency, minor }]);
      await expect(model.openCounts.unknownAmounts([ACME])).resolves.toStrictEqual([{ currency: rows[0]?.view.currency, minor }]);
      await expect(model.openCounts.unknownAmounts([OTHER])).resolves.toStrictEqual([]);
      const work = await model.openWork('orders').list({ limit: 10 });
      expect(work.map(({ stream }) => stream)).toStrictEqual([unknown.stream]);
      const recorded = (await wholeLog(world.store, model.categories)).filter(({ stream }) => stream === unknown.stream).at(-1);
      const oldestAt = metadataOf(recorded as StoredEvent).recordedAt;
      await expect(model.openCounts.openWork('orders')).resolves.toStrictEqual({ count: 1, oldestAt });
      await expect(model.openCounts.openWork('others')).resolves.toStrictEqual({ count: 0, oldestAt: undefined });
    });

    it('nothing before the first build', async () => {
      const model = over();
      await expect(model.openCounts.unknownOutcomes()).resolves.toStrictEqual({ count: 0, oldestAt: undefined });
      await expect(model.openCounts.openWork('orders')).resolves.toStrictEqual({ count: 0, oldestAt: undefined });
      await expect(model.search.streamsNamed('serial')).resolves.toStrictEqual([]);
      await expect(model.operatorOrders.unknown(undefined, { limit: 10 })).resolves.toStrictEqual({ records: [], next: undefined });
      await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeUndefined();
      await expect(model.openWork('orders').dueLanes(START, 10)).resolves.toStrictEqual({ lanes: [], nextDueAt: undefined });
      await expect(model.openWork('orders').list({ limit: 10 })).resolves.toStrictEqual([]);
      expect(() => model.openWork('others')).toThrow('there is no open work named others');
    });
  });
};
