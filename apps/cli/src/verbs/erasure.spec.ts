import type { OrderKeyId } from '@app/card-vault';
import type { AgedErasableData, Erasure } from '@app/investigation/erasure';
import type { CardHandle, CardRefId, Instant, MerchantLogin, OrderId } from '@app/kernel';
import { customerOrders, foreseen } from './erasure';

const order = (orderId: string) => ({ orderId, clientOrderId: `c-${orderId}`, status: 'approved' });

describe('the orders of a payer', () => {
  it('are read page by page without duplicates until a page has no next cursor', async () => {
    const asked: object[] = [];
    const pages = [{ orders: [order('a'), order('b')], next: '10' }, { orders: [], next: '20' }, { orders: [order('b'), order('c')] }];
    const ask = (action: object): Promise<unknown> => Promise.resolve(pages[asked.push(action) - 1]);
    const found: string[] = [];
    for await (const { orderId } of customerOrders(ask, { merchant: 'acme' })) found.push(orderId);
    expect(found).toStrictEqual(['a', 'b', 'c']);
    expect(asked).toStrictEqual([{ merchant: 'acme' }, { merchant: 'acme', after: '10' }, { merchant: 'acme', after: '20' }]);
  });
});

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
const summary = (...given: Parameters<typeof foreseen>): string => {
  const { texts, cards, whyNot, nextAt } = foreseen(...given);
  return [texts && 'texts', cards && 'cards', ...whyNot, nextAt].filter((one) => one !== false && one !== undefined).join(' ');
};

it.each<[string, string, AgedErasableData, Erasure, number]>([
  ['of a young order nothing', 'not-yet 100', held(), NOTHING, 50],
  ['of an older one its texts, and its card later', 'texts not-yet 900', held(), NOTHING, 100],
  ['of an old one all', 'texts cards', held(), NOTHING, 900],
  ['of a registered card the texts only with its end', 'card-reference-lives not-yet 900', held({}, ['r']), NOTHING, 100],
  ['of a registered card that expired all', 'texts cards', held({}, ['r']), NOTHING, 900],
  ['under a hold nothing', 'under-legal-hold', held(), { done: [], heldSince: at(1) }, 900],
  ['with a callback the card alone', 'cards callback-due', held({ obstacles: ['callback-due'] }), NOTHING, 900],
  ['without an end nothing', '', held({ obstacles: ['not-final'], aged: undefined }), NOTHING, 900],
  ['with an open follow-up nothing', 'follow-up-open', held({ obstacles: ['follow-up-open'] }), NOTHING, 900],
  [
    'of what is erased nothing more',
    '',
    held(),
    { done: [{ requestId: 'q', cause: 'request', texts: ['k-1'], cards: ['h-1' as CardHandle], erasedAt: at(1) }] },
    900,
  ],
])('forecasts the next erasure (%s)', (_what, expected, holdings, record, now) => {
  expect(summary(RULES, holdings, record, at(now))).toBe(expected);
});
