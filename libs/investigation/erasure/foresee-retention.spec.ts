import type { OrderKeyId } from '@app/card-vault';
import type { CardHandle, CardRefId, Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { Erasure } from './domain/erasure';
import { foreseeRetention } from './foresee-retention';
import type { AgedErasableData } from './retain-order';

const RULES = { refusedCardMs: 10, unusedCardMs: 1_000, expiredCardMs: 500, personalDataMs: 100 };
const NOTHING: Erasure = { done: [] };
const held = (more: Partial<AgedErasableData> = {}, references: readonly string[] = []): AgedErasableData => ({
  orderStream: 'payment-a',
  orderId: 'p' as OrderId,
  merchant: 'acme' as MerchantLogin,
  obstacles: [],
  texts: ['k-1' as OrderKeyId],
  cards: [{ handle: 'h-1' as CardHandle, references: references as readonly CardRefId[] }],
  aged: { isApproved: true, finalAt: 0 as Instant, cardExpiresAt: 400 as Instant, isCardReferred: references.length > 0 },
  ...more,
});
const at = (now: number) => now as Instant;
const summary = (...given: Parameters<typeof foreseeRetention>): string => {
  const { texts, cards, whyNot, nextAt } = foreseeRetention(...given);
  return [texts && 'texts', cards && 'cards', ...whyNot, nextAt].filter((one) => one !== false && one !== undefined).join(' ');
};

it.each<[string, string, AgedErasableData, Erasure, number]>([
  ['nothing of a young order', 'not-yet 100', held(), NOTHING, 50],
  ['the texts of an older order now, and its card later', 'texts not-yet 900', held(), NOTHING, 100],
  ['texts and card of an old order', 'texts cards', held(), NOTHING, 900],
  ['the texts of a registered card only once it expires', 'card-reference-lives not-yet 900', held({}, ['r']), NOTHING, 100],
  ['texts and card of an expired registered card', 'texts cards', held({}, ['r']), NOTHING, 900],
  ['nothing under a legal hold', 'under-legal-hold', held(), { done: [], heldSince: at(1) }, 900],
  ['only the card while a callback is due', 'cards callback-due', held({ obstacles: ['callback-due'] }), NOTHING, 900],
  ['nothing of an order that is not final', '', held({ obstacles: ['not-final'], aged: undefined }), NOTHING, 900],
  ['nothing while a follow-up is open', 'follow-up-open', held({ obstacles: ['follow-up-open'] }), NOTHING, 900],
  [
    'nothing that is already erased',
    '',
    held(),
    { done: [{ requestId: 'q', cause: 'request', texts: ['k-1'], cards: ['h-1' as CardHandle], erasedAt: at(1) }] },
    900,
  ],
])('forecasts the erasure of %s', (_what, expected, erasableData, record, now) => {
  expect(summary(RULES, erasableData, record, at(now))).toBe(expected);
});
