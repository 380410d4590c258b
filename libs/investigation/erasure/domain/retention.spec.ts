import fc from 'fast-check';
import type { Instant } from '@app/kernel';
import { hasRules, leastRetentionMs, retentionDue, type AgedOrder, type RetentionRules } from './retention';

const RULES = { refusedCardMs: 10, unusedCardMs: 200, expiredCardMs: 100, personalDataMs: 150 };
const order = (more: Partial<AgedOrder> = {}): AgedOrder => ({
  isApproved: true,
  finalAt: 1_000 as Instant,
  cardExpiresAt: 1_050 as Instant,
  isCardReferred: false,
  ...more,
});

describe('retentionDue', () => {
  it.each<[string, AgedOrder, { cards: number | undefined; texts: number | undefined }]>([
    ['of the earlier of unused and expired for an approved order', order(), { cards: 1_150, texts: 1_150 }],
    ['of an unused card that expires later', order({ cardExpiresAt: 9_000 as Instant }), { cards: 1_200, texts: 1_150 }],
    [
      'of an expired card if the card is registered',
      order({ isCardReferred: true, cardExpiresAt: 9_000 as Instant }),
      { cards: 9_100, texts: 1_150 },
    ],
    ['of an unused card without an expiry', order({ cardExpiresAt: undefined }), { cards: 1_200, texts: 1_150 }],
    [
      'undefined for a registered card without an expiry',
      order({ cardExpiresAt: undefined, isCardReferred: true }),
      { cards: undefined, texts: 1_150 },
    ],
    ['of a refused card for a refused order', order({ isApproved: false }), { cards: 1_010, texts: 1_150 }],
  ])('is the age %s', (_what, aged, due) => {
    expect(retentionDue(RULES, aged)).toStrictEqual(due);
  });

  it('is undefined without a matching rule', () => {
    expect(retentionDue({}, order())).toStrictEqual({ cards: undefined, texts: undefined });
    expect(retentionDue({ unusedCardMs: 1 }, order({ isApproved: false }))).toStrictEqual({ cards: undefined, texts: undefined });
    expect([hasRules({}), hasRules({ refusedCardMs: 0 })]).toStrictEqual([false, true]);
    expect([leastRetentionMs({}, true), leastRetentionMs({ refusedCardMs: 3 }, true)]).toStrictEqual([undefined, undefined]);
  });

  it('is never before leastRetentionMs', () => {
    const ms = fc.option(fc.nat(1_000), { nil: undefined });
    const rules = fc.record({ refusedCardMs: ms, unusedCardMs: ms, expiredCardMs: ms, personalDataMs: ms });
    const aged = fc.record({
      isApproved: fc.boolean(),
      isCardReferred: fc.boolean(),
      expiresIn: fc.option(fc.nat(1_000), { nil: undefined }),
    });
    fc.assert(
      fc.property(rules, aged, (given, { isApproved, isCardReferred, expiresIn }) => {
        const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as RetentionRules;
        const cardExpiresAt = expiresIn === undefined ? undefined : ((1_000 + expiresIn) as Instant);
        const { cards, texts } = retentionDue(known, order({ isApproved, isCardReferred, cardExpiresAt }));
        const least = leastRetentionMs(known, isApproved);
        for (const due of [cards, texts]) if (due !== undefined) expect(due - 1_000).toBeGreaterThanOrEqual(least ?? Infinity);
      }),
    );
  });
});
