import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import type { CountLimit, OrderCounted, ScreeningRulesRecorded } from '../domain';

export const SCREENING_CATEGORY = 'screening';
const VELOCITY_CATEGORY = 'velocity';

/** Named by the rules' text, so that a version cannot have other rules. */
export const screeningStreamOf = (rulesText: string): StreamName => streamName(SCREENING_CATEGORY, rulesText);

export const rulesVersionOf = (stream: StreamName): string => stream.slice(SCREENING_CATEGORY.length + 1);

export const screeningStream = (rulesVersion: string): StreamName => `${SCREENING_CATEGORY}-${rulesVersion}` as StreamName;

/** @param keyedDigest of the card or address that is counted; neither is in the log itself */
export const velocityStream = (keyedDigest: string): StreamName => streamName(VELOCITY_CATEGORY, keyedDigest);

type Recorded = ScreeningRulesRecorded['data'];

const countLimit = () => f.object<CountLimit>({ count: f.int(), hours: f.int() });
const names = () => f.list<readonly string[]>(f.id());

export const screeningCodec: EventCodec<ScreeningRulesRecorded> = eventCodec<ScreeningRulesRecorded>(SCREENING_CATEGORY, {
  ScreeningRulesRecorded: {
    version: 1,
    meaning: 'An entry point’s screening rules were stored under a version, which its orders’ plans name.',
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
    meaning: 'An order passed screening. It counts against the entry point’s limit per card or per IP address.',
    schema: f.object<OrderCounted['data']>({ orderId: f.id<OrderCounted['data']['orderId']>(), countedAt: f.instant() }),
  },
});
