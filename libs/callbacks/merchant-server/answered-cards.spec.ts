import { Secret, type Card, type CardHandle, type CardRefId, type CardUid, type MerchantLogin, type Sealed } from '@app/kernel';
import { CardErased, VaultUnavailable } from '@app/card-vault';
import type { OrderCard, OrderInProgress } from '@app/orders/domain';
import { sampleCard } from '@app/testing';
import type { AnsweredCard } from './check-call';
import { AnsweredCards, type KnownReference } from './answered-cards';

const MERCHANT = 'acme' as MerchantLogin;
const SOURCE = 'csample0reference00c' as CardRefId;
const DESTINATION = 'dsample0reference00c' as CardRefId;
const OTHER_CARD_REF = 'esample0reference00c' as CardRefId;
const NUMBER = '4444333322221111';
const OTHER_NUMBER = '5555555555554444';
const card = sampleCard();
const otherCard: OrderCard = { ...card, handle: 'other-handle' as CardHandle, uid: 'othercarduid00000000' as CardUid };
const customer = 'sealed-customer' as Sealed;
const KEPT: Card = { number: NUMBER, expiryMonth: 12, expiryYear: 2030, holder: 'KIM LEE' };

const REFERENCES: ReadonlyMap<string, KnownReference> = new Map<string, KnownReference>([
  [SOURCE, { use: 'source', card, customer }],
  [DESTINATION, { use: 'destination', card, customer }],
  [OTHER_CARD_REF, { use: 'source', card: otherCard, customer }],
]);

const cardsWith = (failure?: Error): AnsweredCards => {
  const open = (_merchant: MerchantLogin, handle: CardHandle): Promise<Secret<Card>> => {
    if (failure !== undefined) return Promise.reject(failure);
    return Promise.resolve(new Secret(handle === card.handle ? KEPT : { ...KEPT, number: OTHER_NUMBER }));
  };
  const references = { find: (_merchant: MerchantLogin, id: CardRefId) => Promise.resolve(REFERENCES.get(id)) };
  return new AnsweredCards(references, { open, openReceiving: open });
};

const order = (given: Partial<OrderInProgress>): OrderInProgress =>
  ({ merchant: MERCHANT, plan: { operation: 'transfer' }, ...given }) as unknown as OrderInProgress;
const byReference = (serverCardId: string): AnsweredCard => ({ serverCardId });
const numbered = (number: string): AnsweredCard => ({ card: new Secret({ number }) });

describe('the cards of a check response (protocol decisions, section 8)', () => {
  it('are accepted for a repeat by reference, with the customer of the card mapping [W112]', async () => {
    const source = { cardRefId: SOURCE, card };
    await expect(cardsWith().namedIn(order({ destination: card }), { source: byReference(SOURCE) })).resolves.toStrictEqual({
      source,
      sourceCustomer: customer,
    });
    const both = { source: byReference(SOURCE), destination: byReference(DESTINATION) };
    await expect(cardsWith().namedIn(order({}), both)).resolves.toStrictEqual({
      source,
      sourceCustomer: customer,
      destination: { cardRefId: DESTINATION, card },
    });
  });

  it('may use a source reference as a destination [W115, W430]', async () => {
    await expect(cardsWith().namedIn(order({ card }), { destination: byReference(OTHER_CARD_REF) })).resolves.toStrictEqual({
      destination: { cardRefId: OTHER_CARD_REF, card: otherCard },
    });
  });

  it('add nothing if the app gave card numbers, and may repeat those numbers [W113]', async () => {
    const given = order({ card, destination: otherCard });
    const answered: AnsweredCard = {
      serverCardId: SOURCE,
      card: new Secret({ number: NUMBER, expiry: { month: 12, year: 2030 }, holder: { printedName: 'KIM LEE' } }),
    };
    await expect(cardsWith().namedIn(given, {})).resolves.toStrictEqual({});
    await expect(cardsWith().namedIn(given, { source: answered, destination: numbered(OTHER_NUMBER) })).resolves.toStrictEqual({});
  });

  it.each<[string, Partial<OrderInProgress>, { source?: AnsweredCard; destination?: AnsweredCard }, string]>([
    ['no reference although the app sent one [W427]', { destination: card }, {}, 'unknown-card'],
    ['only a card although the app sent a reference', { destination: card }, { source: numbered(NUMBER) }, 'unknown-card'],
    ['a text that is no reference', { destination: card }, { source: byReference('12') }, 'unknown-card'],
    ['an unknown reference', { destination: card }, { source: byReference('zsample0reference00c') }, 'unknown-card'],
    ['a destination’s reference as a source [W430]', { destination: card }, { source: byReference(DESTINATION) }, 'unknown-card'],
    ['no reference of the destination', { card }, {}, 'unknown-card'],
    ['a reference of another card than the app’s', { card, destination: card }, { source: byReference(OTHER_CARD_REF) }, 'contradiction'],
    ['another number than the app’s', { card, destination: card }, { source: numbered(OTHER_NUMBER) }, 'contradiction'],
    ['another number than the reference’s', { destination: card }, { source: { ...byReference(SOURCE), ...numbered(OTHER_NUMBER) } }, 'contradiction'], // prettier-ignore
    [
      'another month',
      { card, destination: card },
      { source: { card: new Secret({ expiry: { month: 11, year: 2030 } }) } },
      'contradiction',
    ],
    ['another holder', { card, destination: card }, { source: { card: new Secret({ holder: { firstName: 'LEE', lastName: 'KIM' } }) } }, 'contradiction'], // prettier-ignore
    ['another destination', { card, destination: card }, { destination: numbered(OTHER_NUMBER) }, 'contradiction'],
    ['another destination’s reference', { card, destination: card }, { destination: byReference(OTHER_CARD_REF) }, 'contradiction'],
  ])('fail the check: %s [W114, W382, W399]', async (_case, given, answer, failure) => {
    await expect(cardsWith().namedIn(order(given), answer)).resolves.toBe(failure);
  });

  it('need a destination only for a transfer', async () => {
    const sale = order({ card, plan: { operation: 'sale' } as OrderInProgress['plan'] });
    await expect(cardsWith().namedIn(sale, {})).resolves.toStrictEqual({});
  });

  it('return unknown-card for a shredded card and throw if the vault is unavailable', async () => {
    const given = order({ card, destination: card });
    await expect(cardsWith(new CardErased('x')).namedIn(given, { source: numbered(NUMBER) })).resolves.toBe('unknown-card');
    await expect(cardsWith(new VaultUnavailable('x')).namedIn(given, { source: numbered(NUMBER) })).rejects.toThrow(VaultUnavailable);
  });
});
