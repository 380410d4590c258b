import type { EventId } from '@app/event-store';
import { streamName } from '@app/event-store';
import type { DeliveryEvent } from '@app/callbacks/events';
import { addMs, type MerchantLogin, type Sealed } from '@app/kernel';
import type { CallbackTarget } from '@app/orders/events';
import { DELIVERY_STATES, type DeliveryFilter } from '../../deliveries/delivery.queries';
import type { ListPlace } from '../../engine/index-parts';
import type { ReadModel } from '../../read-model';
import type { Story } from '../order-life';
import { ACME, START } from '../sample-orders';
import type { ReadModelWorld } from './read-model-world';

const UMBRELLA = 'umbrella' as MerchantLogin;
const MERCHANTS = [ACME, UMBRELLA] as const;
const TARGETS = ['callback', 'notify', 'notification'] as const;
const FAILURE = { cause: 'answered', status: 503 } as const;
const DAY_MS = 86_400_000;

type Step = 'failed' | 'exhausted' | 'delivered' | 'resend';

interface Made {
  readonly number: number;
  readonly merchant: MerchantLogin;
  readonly target: CallbackTarget;
  readonly steps: readonly Step[];
}

const factIdOf = (number: number): EventId => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as EventId;

/** Several begin at the same moment, so that pages end between equal times. */
const sinceOf = (number: number) => addMs(START, Math.floor(number / 3) * 1_000);

const eventsOf = ({ number, target, steps }: Made): readonly DeliveryEvent[] => {
  const identity = { factId: factIdOf(number), target, orderStream: streamName('payment', ACME, String(number)) };
  let tries = 0;
  return steps.map((step, index): DeliveryEvent => {
    const at = addMs(sinceOf(number), index * DAY_MS);
    if (step === 'resend') return { type: 'CallbackResendRequested', data: { ...identity, reason: 'sealed' as Sealed, requestedAt: at } };
    tries += 1;
    if (step === 'delivered') return { type: 'CallbackDelivered', data: { ...identity, tries, status: 200, deliveredAt: at } };
    if (step === 'exhausted') return { type: 'CallbackExhausted', data: { ...identity, tries, failure: FAILURE, exhaustedAt: at } };
    const data = { ...identity, tryNumber: tries, failure: FAILURE, failedAt: at, nextTryAt: addMs(at, DAY_MS) };
    return { type: 'CallbackFailed', data };
  });
};

const LIVES: readonly (readonly Step[])[] = [
  ['delivered'],
  ['failed'],
  ['failed', 'exhausted'],
  ['failed', 'delivered'],
  ['exhausted', 'resend'],
  ['delivered', 'resend', 'failed'],
  ['exhausted', 'resend', 'delivered'],
];

const ALL: readonly Made[] = Array.from({ length: 24 }, (_, number) => ({
  number,
  merchant: MERCHANTS[number % 2] ?? ACME,
  target: TARGETS[number % 3] ?? 'notify',
  steps: LIVES[number % LIVES.length] ?? [],
}));

const storyOf = (made: Made): Story => ({
  stream: streamName('delivery', factIdOf(made.number), made.target),
  merchant: made.merchant,
  events: eventsOf(made),
});

const STATUSES = { delivered: 'delivered', exhausted: 'exhausted', failed: 'waiting', resend: 'waiting' } as const;
const statusOf = ({ steps }: Made) => STATUSES[steps.at(-1) ?? 'failed'];

const isMeant = (made: Made, { state, merchants, target, since, until }: DeliveryFilter): boolean => {
  const status = statusOf(made);
  const at = sinceOf(made.number);
  return (
    (state === undefined || (state === 'failed' ? status !== 'delivered' : status === state)) &&
    (merchants === undefined || merchants.includes(made.merchant)) &&
    (target === undefined || made.target === target) &&
    (since === undefined || at >= since) &&
    (until === undefined || at < until)
  );
};

const meantBy = (filter: DeliveryFilter): readonly string[] =>
  ALL.filter((made) => isMeant(made, filter))
    .map((made) => ({ at: sinceOf(made.number), stream: storyOf(made).stream }))
    .sort((a, b) => a.at - b.at || (a.stream < b.stream ? -1 : 1))
    .map(({ stream }) => stream);

const FILTERS: readonly DeliveryFilter[] = [undefined, ...DELIVERY_STATES].flatMap((state) =>
  [undefined, [UMBRELLA], MERCHANTS, []].flatMap((merchants) =>
    [undefined, 'notify' as const].flatMap((target) => [
      { state, merchants, target },
      { state, merchants, target, since: addMs(START, 2_000), until: addMs(START, 6_000) },
    ]),
  ),
);

const pagesOf = async (model: ReadModel, filter: DeliveryFilter): Promise<readonly string[]> => {
  const streams: string[] = [];
  let after: ListPlace | undefined;
  do {
    const page = await model.deliveries.page(filter, { limit: 2, after });
    streams.push(...page.records.map(({ stream }) => stream));
    after = page.next;
  } while (after !== undefined);
  return streams;
};

export const deliveryCases = (world: ReadModelWorld): void => {
  describe('deliveries', () => {
    it('are listed once each, oldest first, in pages of every filter', async () => {
      const model = await world.live(ALL.map(storyOf));
      for (const filter of FILTERS)
        expect({ filter, streams: await pagesOf(model, filter) }).toStrictEqual({ filter, streams: meantBy(filter) });
    });

    it('are counted by filter, with the time of the oldest, up to a limit', async () => {
      const model = await world.live(ALL.map(storyOf));
      for (const filter of FILTERS) {
        const meant = ALL.filter((made) => isMeant(made, filter));
        const oldestAt = meant.length === 0 ? undefined : Math.min(...meant.map(({ number }) => sinceOf(number)));
        expect({ filter, ...(await model.deliveries.count(filter)) }).toStrictEqual({ filter, count: meant.length, oldestAt });
      }
      await expect(model.deliveries.count({}, undefined, 5)).resolves.toMatchObject({ count: 5 });
    });

    it('contain the latest attempt and the next one', async () => {
      const [waiting, , , again] = [ALL[1], ALL[2], ALL[3], ALL[4]] as readonly Made[];
      if (waiting === undefined || again === undefined) throw new Error('no delivery');
      const model = await world.live([storyOf(waiting), storyOf(again)]);
      const { records } = await model.deliveries.page({}, { limit: 9 });
      const common = ({ number, merchant, target }: Made) => ({
        merchant,
        orderStream: streamName('payment', ACME, String(number)),
        factId: factIdOf(number),
        target,
        status: 'waiting',
        since: sinceOf(number),
        tries: 1,
        failure: FAILURE,
      });
      const at = addMs(sinceOf(again.number), DAY_MS);
      expect(records.map(({ view }) => view)).toStrictEqual([
        { ...common(waiting), changedAt: sinceOf(waiting.number), nextTryAt: addMs(sinceOf(waiting.number), DAY_MS) },
        { ...common(again), changedAt: at, nextTryAt: at },
      ]);
    });

    it('are empty before the first build', async () => {
      const model = world.over();
      await expect(model.deliveries.page({}, { limit: 1 })).resolves.toStrictEqual({ records: [], next: undefined });
      await expect(model.deliveries.count({})).resolves.toStrictEqual({ count: 0, oldestAt: undefined });
    });
  });
};
