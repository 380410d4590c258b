import type { OrderKeyId } from '@app/card-vault';
import type { StreamName } from '@app/event-store';
import { addMs, type CardHandle, type CardRefId, type Instant, type MerchantLogin, type OrderId } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import type { Erasure } from './domain/erasure';
import { retentionShape, retentionWork } from './erasure-work';
import type { ErasureAnswer, WantedErasure } from './erase-order';
import { LOOKED_AT_AGAIN_MS, LOOKED_AT_WHOLE_MS, RetainOrder, type AgedErasableData } from './retain-order';

const ORDER = 'payment-a' as StreamName;
const DAY_MS = 86_400_000;
const RULES = { refusedCardMs: 15 * 60_000, personalDataMs: 396 * DAY_MS, expiredCardMs: 396 * DAY_MS, unusedCardMs: 731 * DAY_MS };
const done = (what: 'texts' | 'cards'): Erasure['done'][number] => ({
  requestId: what,
  cause: 'retention',
  texts: what === 'texts' ? ['k-1'] : [],
  cards: what === 'cards' ? ['h-1' as CardHandle] : [],
  erasedAt: 0 as Instant,
});

const world = ({
  isApproved = false,
  answers = {},
  references = [] as readonly string[],
  ...more
}: {
  isApproved?: boolean;
  answers?: Partial<Record<WantedErasure['what'], ErasureAnswer>>;
  references?: readonly string[];
  heldSince?: Instant;
} = {}) => {
  const clock = new VirtualClock();
  const finalAt = clock.now();
  const record: { of: Erasure } = { of: { done: [], ...more } };
  const asked: string[] = [];
  const erasableData: { of: AgedErasableData | undefined } = {
    of: {
      orderStream: ORDER,
      orderId: 'p' as OrderId,
      merchant: 'acme' as MerchantLogin,
      obstacles: [],
      texts: ['k-1' as OrderKeyId],
      cards: [{ handle: 'h-1' as CardHandle, references: references as readonly CardRefId[] }],
      aged: { isApproved, finalAt, cardExpiresAt: addMs(finalAt, 30 * DAY_MS), isCardReferred: references.length > 0 },
    },
  };
  const retaining = new RetainOrder({
    erasing: {
      recordOf: () => Promise.resolve(record.of),
      erase: (_stream, { what, cause, endsReferences }) => {
        asked.push(`${what} ${cause} ${String(endsReferences)}`);
        const answer = answers[what] ?? { reason: 'erased' as const, requestId: 'q', texts: 1, cards: 1 };
        if (answer.reason === 'erased' && what !== 'everything') record.of = { done: [...record.of.done, done(what)] };
        return Promise.resolve(answer);
      },
    },
    erasableData: { of: () => Promise.resolve(erasableData.of) },
    rules: RULES,
    clock,
  });
  return { clock, finalAt, retaining, asked, record, erasableData };
};

describe('RetainOrder', () => {
  it('erases the card of a refused order after 15 minutes and its texts after 396 days, each once', async () => {
    const { clock, finalAt, retaining, asked } = world();
    expect(await retaining.retain(ORDER)).toBe(addMs(finalAt, RULES.refusedCardMs));
    expect(asked).toStrictEqual([]);
    await clock.advance(RULES.refusedCardMs - 1);
    await retaining.retain(ORDER);
    expect(asked).toStrictEqual([]);
    await clock.advance(1);
    expect(await retaining.retain(ORDER)).toBe(addMs(finalAt, RULES.personalDataMs));
    expect(asked).toStrictEqual(['cards retention true']);
    await clock.advance(RULES.personalDataMs);
    expect(await retaining.retain(ORDER)).toBe(addMs(clock.now(), LOOKED_AT_WHOLE_MS));
    expect(asked).toStrictEqual(['cards retention true', 'texts retention false']);
    await clock.advance(LOOKED_AT_WHOLE_MS);
    await retaining.retain(ORDER);
    expect(asked).toHaveLength(2);
  });

  it('checks again daily if the erasure is obstructed, and erases nothing under a legal hold', async () => {
    const obstructed = { reason: 'obstructed', obstacles: ['card-reference-lives'] } as const;
    const { clock, retaining, asked, record } = world({ isApproved: true, references: ['r-1'], answers: { texts: obstructed } });
    await clock.advance(RULES.personalDataMs);
    expect(await retaining.retain(ORDER)).toBe(addMs(clock.now(), LOOKED_AT_AGAIN_MS));
    expect(asked).toStrictEqual(['texts retention false']);
    record.of = { done: [], heldSince: 0 as Instant };
    await clock.advance(RULES.unusedCardMs * 2);
    expect(await retaining.retain(ORDER)).toBe(addMs(clock.now(), LOOKED_AT_AGAIN_MS));
    expect(asked).toHaveLength(1);
  });

  it('erases nothing of an order that is not final or unknown', async () => {
    const { clock, retaining, asked, erasableData } = world();
    erasableData.of = { ...(erasableData.of as AgedErasableData), aged: undefined };
    await clock.advance(RULES.unusedCardMs * 2);
    expect(await retaining.retain(ORDER)).toBe(addMs(clock.now(), LOOKED_AT_AGAIN_MS));
    erasableData.of = undefined;
    await retaining.retain(ORDER);
    expect(asked).toStrictEqual([]);
  });
});

describe('retentionWork', () => {
  const news = (type: string) => ({ stream: ORDER, metadata: { merchant: 'acme', recordedAt: 1_000 as Instant }, event: { type } });
  const dueOf = (type: string, rules: Parameters<typeof retentionWork>[0] = RULES) =>
    retentionWork(rules)(news(type)).map((change) => (change.kind === 'due' ? [change.item.key, change.item.dueAt] : change));

  it('lists each final order once, from the earliest age at which a rule can apply', () => {
    expect(dueOf('OrderDeclined')).toStrictEqual([[ORDER, 1_000 + RULES.refusedCardMs]]);
    expect(dueOf('OrderFailed')).toStrictEqual(dueOf('OrderFiltered'));
    expect(dueOf('OrderApproved')).toStrictEqual([[ORDER, 1_000 + RULES.personalDataMs]]);
    expect(dueOf('OrderAccepted')).toStrictEqual([]);
    expect(dueOf('OrderApproved', { refusedCardMs: 1 })).toStrictEqual([]);
  });

  it('has another shape for other rules', () => {
    const { unusedCardMs: _unused, ...others } = RULES;
    const shapes = [RULES, others, { ...RULES, refusedCardMs: 1 }, {}].map(retentionShape);
    expect(new Set(shapes).size).toBe(4);
    for (const shape of shapes) expect(Number.isSafeInteger(shape) && shape > 0).toBe(true);
    expect(retentionShape({ ...RULES })).toBe(retentionShape(RULES));
  });
});
