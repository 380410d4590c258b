import fc from 'fast-check';
import { isRejection, type Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import { cardId, digest, later, NOW } from '../../testing/sample-desk';
import { CARD_USES } from '../terms';
import {
  cardLike,
  cardNamed,
  RANDOM_SUMS_TOLD_MAX,
  REFERENCE_RENEWED_AFTER_MS,
  wallet,
  WALLET_CARDS_MAX,
  type NameCards,
  type TellRandomSum,
  type ToldCard,
} from './wallet.decide';
import type { CardNamed, ToldSum, WalletEvent } from './wallet.events';

const { given } = deciderSpec(wallet);
const email = 'sealed-email' as Sealed;
const card: ToldCard = {
  use: 'source',
  uniqueReferenceCardId: '123456789',
  bin: 444_455,
  serverCardId: 'csample0reference00c',
  newClientCardId: cardId('first'),
};
const name = (cards: readonly ToldCard[], now = NOW): NameCards => ({ type: 'NameCards', data: { cards, now } });
const named = ({ newClientCardId, ...told }: ToldCard = card, more: Partial<CardNamed['data']> = {}): CardNamed => ({
  type: 'CardNamed',
  data: { ...told, clientCardId: newClientCardId, mappedAt: NOW, ...more },
});
const sumOf = (centis: number, sealed = 'sealed-sum'): ToldSum => ({ digest: digest(`sum ${centis}`), sealed: sealed as Sealed });
const tell = (centis: number, clientCardId = 'first', sealed?: string): TellRandomSum => ({
  type: 'TellRandomSum',
  data: { clientCardId: cardId(clientCardId), sum: sumOf(centis, sealed), now: NOW },
});
const told = (centis: number): WalletEvent => ({
  type: 'RandomSumTold',
  data: { clientCardId: cardId('first'), sum: sumOf(centis), toldAt: NOW },
});

describe('a wallet', () => {
  it('gives a card a name, and keeps it when the card comes again', () => {
    given()
      .when(name([card]))
      .then(named());
    given(named())
      .when(name([{ ...card, newClientCardId: cardId('second') }], later(1)))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('remembers the e-mail that the mapping transaction carried (protocol decisions, section 8)', () => {
    given()
      .when({ type: 'NameCards', data: { cards: [card], email, now: NOW } })
      .then(named(card, { email }));
  });

  it('takes a newer reference of the same card, under the same name, once a day', () => {
    const again = { ...card, serverCardId: 'canother0reference0c', newClientCardId: cardId('second') };
    const day = later(REFERENCE_RENEWED_AFTER_MS);
    given(named())
      .when(name([again], later(REFERENCE_RENEWED_AFTER_MS - 1)))
      .thenRejected({ reason: 'nothing-new' });
    given(named())
      .when(name([again], day))
      .then({ type: 'CardReferenceRenewed', data: { clientCardId: cardId('first'), serverCardId: again.serverCardId, mappedAt: day } });
    given(named())
      .when(name([card], day))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('forgets the e-mail of the older reference with it', () => {
    const { state } = given(named(card, { email }), {
      type: 'CardReferenceRenewed',
      data: { clientCardId: cardId('first'), serverCardId: 'c2', mappedAt: later(1) },
    });
    expect(cardLike(state, card)).toStrictEqual({
      use: 'source',
      uniqueReferenceCardId: '123456789',
      bin: 444_455,
      clientCardId: 'first',
      serverCardId: 'c2',
      mappedAt: later(1),
      randomSumsTold: 0,
    });
  });

  it('has a name of its own for each use of a card', () => {
    const destination = { ...card, use: 'destination' as const, newClientCardId: cardId('second') };
    given()
      .when(name([card, destination]))
      .then(named(), named(destination));
  });

  it.each([
    ['source', 'source', true],
    ['source', 'destination', true],
    ['destination', 'destination', true],
    ['destination', 'source', false],
  ] as const)('lets a card mapped as %s be used as %s: %s (protocol decisions, section 8)', (use, wanted, isAllowed) => {
    const { state } = given(named({ ...card, use }));
    expect(cardNamed(state, cardId('first'), wanted)?.clientCardId).toBe(isAllowed ? 'first' : undefined);
    expect(cardNamed(state, cardId('unknown'), wanted)).toBeUndefined();
  });

  it('has room for so many cards', () => {
    const full = Array.from({ length: WALLET_CARDS_MAX }, (_, index) =>
      named({ ...card, uniqueReferenceCardId: String(index), newClientCardId: cardId(`card-${index}`) }),
    );
    given(...full)
      .when(name([card]))
      .thenRejected({ reason: 'wallet-full' });
    given(...full.slice(1))
      .when(name([card]))
      .then(named());
  });

  it('takes the random sum of a card, a few times at most (safety, T36)', () => {
    given(named()).when(tell(111)).then(told(111));
    given(named(), told(111))
      .when(tell(111, 'first', 'sealed-anew'))
      .thenRejected({ reason: 'nothing-new' });
    given(named(), told(111)).when(tell(112)).then(told(112));
    const often = Array.from({ length: RANDOM_SUMS_TOLD_MAX }, (_, index) => told(index + 1));
    given(named(), ...often)
      .when(tell(111))
      .thenRejected({ reason: 'told-too-often' });
    given(named()).when(tell(111, 'unknown')).thenRejected({ reason: 'unknown-card' });
  });

  it('keeps of a sum that stood in clear that one was told, and no more (safety, T36)', () => {
    const once: WalletEvent = { type: 'RandomSumTold', data: { clientCardId: cardId('first'), toldAt: NOW } };
    const { state } = given(named(), told(111), once);
    expect(cardLike(state, card)).toStrictEqual({ ...named().data, randomSumsTold: 2 });
    given(named(), once).when(tell(111)).then(told(111));
  });

  it('is folded from whole facts alone', () => {
    expect(() => given(told(1))).toThrow('no card of this name in the wallet');
  });

  it('keeps the name of each card whatever comes, and gives no name twice', () => {
    const given_ = fc.array(
      fc.record({
        use: fc.constantFrom(...CARD_USES),
        uniqueReferenceCardId: fc.constantFrom('1', '2', '3'),
        serverCardId: fc.constantFrom('ca', 'cb', 'cc'),
        afterMs: fc.nat({ max: 3 * REFERENCE_RENEWED_AFTER_MS }),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(given_, (cards) => {
        const events: WalletEvent[] = [];
        const names = new Map<string, string>();
        for (const [index, { use, uniqueReferenceCardId, serverCardId, afterMs }] of cards.entries()) {
          const one = { use, uniqueReferenceCardId, serverCardId, bin: 1, newClientCardId: cardId(`name-${index}`) };
          const { decision } = given(...events).when(name([one], later(afterMs)));
          if (!isRejection(decision)) events.push(...decision);
          const known = cardLike(given(...events).state, one)?.clientCardId ?? 'none';
          const before = names.get(`${use} ${uniqueReferenceCardId}`) ?? `name-${index}`;
          expect(known).toBe(before);
          names.set(`${use} ${uniqueReferenceCardId}`, known);
        }
        expect(new Set(names.values()).size).toBe(names.size);
      }),
    );
  });
});
