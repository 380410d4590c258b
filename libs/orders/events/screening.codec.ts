import { eventCodec, f, type EventCodec } from '@app/event-store';
import type { CountLimit, OrderCounted, ScreeningRulesRecorded } from '../domain';
import { SCREENING_CATEGORY, VELOCITY_CATEGORY } from './screening.stream';

type Recorded = ScreeningRulesRecorded['data'];

const countLimit = () => f.object<CountLimit>({ count: f.int(), hours: f.int() });
/** The operator typed these names, and possibly digits, but no card number. */
const names = () => f.list<readonly string[]>(f.id());

export const screeningCodec: EventCodec<ScreeningRulesRecorded> = eventCodec<ScreeningRulesRecorded>(SCREENING_CATEGORY, {
  ScreeningRulesRecorded: {
    version: 1,
    meaning: 'An entry point’s screening rules, under the version that the plans of its orders name.',
    schema: f.object<Recorded>({
      minAmountMinor: f.optional(f.bigint()),
      maxAmountMinor: f.optional(f.bigint()),
      blockedBins: names(),
      blockedCountries: names(),
      blockedIps: names(),
      perCard: countLimit(),
      perIp: countLimit(),
      recordedAt: f.instant(),
    }),
  },
});

export const velocityCodec: EventCodec<OrderCounted> = eventCodec<OrderCounted>(VELOCITY_CATEGORY, {
  OrderCounted: {
    version: 1,
    meaning: 'An order was let through, and counts against the limit of its card or address at its entry point.',
    schema: f.object<OrderCounted['data']>({ orderId: f.id<OrderCounted['data']['orderId']>(), countedAt: f.instant() }),
  },
});
