import type { CardHandle, CardRefId, Instant, MerchantLogin, OrderId, Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import {
  erasure,
  type ErasureCommand,
  type ErasedCard,
  type ErasureEvent,
  type ErasureRequested,
  erasedCards,
  erasedTexts,
} from './erasure';

const { given } = deciderSpec(erasure);
const NOW = 1_704_067_200_000 as Instant;
const order = { orderStream: 'payment-a', orderId: 'potjk0knd68sdvnr' as OrderId, merchant: 'acme' as MerchantLogin };
const reason = 'sealed' as Sealed;
const card: ErasedCard = { handle: 'h-1' as CardHandle, references: ['r-1' as CardRefId] };
const asked = { ...order, requestId: 'q-1', cause: 'request' as const, reason, texts: ['k-1', 'k-2'], cards: [card] };
const request = (more: Partial<typeof asked> = {}): ErasureCommand => ({ type: 'RequestErasure', data: { ...asked, ...more, now: NOW } });
const requested = (more: Partial<ErasureRequested['data']> = {}): ErasureEvent => ({
  type: 'ErasureRequested',
  data: { ...asked, requestedAt: NOW, ...more },
});
const erased = (requestId = 'q-1'): ErasureEvent => ({ type: 'Erased', data: { requestId, erasedAt: NOW } });
const recordErased = (requestId = 'q-1'): ErasureCommand => ({ type: 'RecordErased', data: { requestId, now: NOW } });
const place: ErasureCommand = { type: 'PlaceLegalHold', data: { ...order, reason, now: NOW } };
const placed: ErasureEvent = { type: 'LegalHoldPlaced', data: { ...order, reason, placedAt: NOW } };
const release: ErasureCommand = { type: 'ReleaseLegalHold', data: { reason, now: NOW } };
const released: ErasureEvent = { type: 'LegalHoldReleased', data: { reason, releasedAt: NOW } };

describe('erasure', () => {
  it('is requested before it is done, and is done once', () => {
    given().when(request()).then(requested());
    given(requested()).when(request()).thenRejected({ reason: 'under-way' });
    given(requested()).when(recordErased()).then(erased());
    given(requested(), erased()).when(recordErased()).thenRejected({ reason: 'nothing-new' });
    given(requested()).when(recordErased('q-2')).thenRejected({ reason: 'nothing-new' });
    given(requested(), erased())
      .when(request({ requestId: 'q-2' }))
      .thenRejected({ reason: 'erased-before' });
  });

  it('names only texts and cards that an earlier erasure left', () => {
    given(requested({ cards: [] }), erased())
      .when(request({ requestId: 'q-2', texts: ['k-2', 'k-3'] }))
      .then(requested({ requestId: 'q-2', texts: ['k-3'], cards: [card] }));
    given()
      .when(request({ texts: [], cards: [] }))
      .thenRejected({ reason: 'erased-before' });
  });

  it('lists texts and cards as erased as soon as it is requested', () => {
    for (const events of [[requested()], [requested(), erased()]]) {
      const { state } = given(...events);
      expect([...erasedTexts(state)]).toStrictEqual(['k-1', 'k-2']);
      expect([...erasedCards(state)]).toStrictEqual(['h-1']);
    }
    expect(given(requested(), erased()).state.done).toStrictEqual([
      { requestId: 'q-1', cause: 'request', texts: ['k-1', 'k-2'], cards: ['h-1'], erasedAt: NOW },
    ]);
  });
});

describe('legal hold', () => {
  it('prevents the erasure of an order until it is released', () => {
    given().when(place).then(placed);
    given(placed).when(place).thenRejected({ reason: 'held-before' });
    given(placed).when(request()).thenRejected({ reason: 'under-legal-hold' });
    given(placed).when(release).then(released);
    given(placed, released).when(request()).then(requested());
    given(placed, released).when(release).thenRejected({ reason: 'not-held' });
    given().when(release).thenRejected({ reason: 'not-held' });
  });

  it('is refused while an erasure is in progress, and accepted after it for the remaining data', () => {
    given(requested()).when(place).thenRejected({ reason: 'under-way' });
    given(requested(), erased()).when(place).then(placed);
  });

  it.each<[string, ErasureEvent[]]>([
    ['a second hold', [placed, placed]],
    ['a release without a hold', [released]],
    ['a request under a hold', [placed, requested()]],
    ['an end without its request', [erased()]],
  ])('rejects a history with %s', (_what, events) => {
    expect(() => given(...events).state).toThrow(/where it could not be|not held|without its/);
  });
});
