import fc from 'fast-check';
import { isRejection, type Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import { cardId, digest, later, NOW } from '../testing/sample-merchant-server';
import { CARD_USES } from './terms';
import {
  cardLike,
  cardNamed,
  RANDOM_SUMS_MAX,
  REFERENCE_RENEWED_AFTER_MS,
  wallet,
  WALLET_CARDS_MAX,
  type NameCards,
  type RecordRandomSum,
  type NotifiedCard,
  type CardNamed,
  type RecordedSum,
  type WalletEvent,
} from './wallet';

const { given } = deciderSpec(wallet);
const email = 'sealed-email' as Sealed;
const card: NotifiedCard = {
  use: 'source',
  uniqueReferenceCardId: '123456789',
  bin: 444_455,
  serverCardId: 'csample0reference00c',
  newClientCardId: cardId('first'),
};
const name = (cards: readonly NotifiedCard[], now = NOW): NameCards => ({ type: 'NameCards', data: { cards, now } });
const named = ({ newClientCardId, ...rest }: NotifiedCard = card, more: Partial<CardNamed['data']> = {}): CardNamed => ({
  type: 'CardNamed',
  data: { ...rest, clientCardId: newClientCardId, mappedAt: NOW, ...more },
});
const sumOf = (centis: number, sealed = 'sealed-sum'): RecordedSum => ({ digest: digest(`sum ${centis}`), sealed: sealed as Sealed });
const record = (centis: number, clientCardId = 'first', sealed?: string): RecordRandomSum => ({
  type: 'RecordRandomSum',
  data: { clientCardId: cardId(clientCardId), sum: sumOf(centis, sealed), now: NOW },
});
const recorded = (centis: number): WalletEvent => ({
  type: 'RandomSumTold',
  data: { clientCardId: cardId('first'), sum: sumOf(centis), toldAt: NOW },
});

describe('a wallet', () => {
  it('assigns an id to a card and keeps it on repeated notification', () => {
    given()
      .when(name([card]))
      .then(named());
    given(named())
      .when(name([{ ...card, newClientCardId: cardId('second') }], later(1)))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('records the e-mail of the mapping transaction (protocol decisions, section 8) [W568]', () => {
    given()
      .when({ type: 'NameCards', data: { cards: [card], email, now: NOW } })
      .then(named(card, { email }));
  });

  it('renews the reference of a card under the same id, at most once a day', () => {
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

  it('drops the e-mail of the replaced reference', () => {
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
      randomSumCount: 0,
    });
  });

  it('assigns separate ids to the source and destination use of a card', () => {
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
  ] as const)('allows a card mapped as %s to be used as %s: %s (protocol decisions, section 8) [W569]', (use, wanted, isAllowed) => {
    const { state } = given(named({ ...card, use }));
    expect(cardNamed(state, cardId('first'), wanted)?.clientCardId).toBe(isAllowed ? 'first' : undefined);
    expect(cardNamed(state, cardId('unknown'), wanted)).toBeUndefined();
  });

  it('rejects a card beyond the maximum', () => {
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

  it('records new random sums of a card up to the maximum number (safety, T36)', () => {
    given(named()).when(record(111)).then(recorded(111));
    given(named(), recorded(111))
      .when(record(111, 'first', 'sealed-anew'))
      .thenRejected({ reason: 'nothing-new' });
    given(named(), recorded(111)).when(record(112)).then(recorded(112));
    const often = Array.from({ length: RANDOM_SUMS_MAX }, (_, index) => recorded(index + 1));
    given(named(), ...often)
      .when(record(111))
      .thenRejected({ reason: 'too-many' });
    given(named()).when(record(111, 'unknown')).thenRejected({ reason: 'unknown-card' });
  });

  it('reads an event with a plaintext sum only as a count (safety, T36)', () => {
    const once: WalletEvent = { type: 'RandomSumTold', data: { clientCardId: cardId('first'), toldAt: NOW } };
    const { state } = given(named(), recorded(111), once);
    expect(cardLike(state, card)).toStrictEqual({ ...named().data, randomSumCount: 2 });
    given(named(), once).when(record(111)).then(recorded(111));
  });

  it('throws for events out of order', () => {
    expect(() => given(recorded(1))).toThrow('no card of this id in the wallet');
  });

  it("keeps each card's id unique and unchanged for any commands", () => {
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
