import { join } from 'node:path';
import fc from 'fast-check';
import { EventRefused, type EventId, type Position, type Revision, type StoredEvent, type StreamName } from '@app/event-store';
import { goldenSpec } from '@app/event-store/testing';
import type { Instant, Sealed } from '@app/kernel';
import { deliveryCodec, deliveryStream, deliveryKey, isDeliveryKey, parseDeliveryKey } from './delivery.codec';
import type { CallbackFailed, DeliveryEvent, TryFailure } from '../domain/delivery';

const stream = deliveryStream('6b1c2d3e-4f50-5a61-8b72-9c83ad94be05' as EventId, 'callback');
const envelope = {
  correlation: '00000000-0000-0000-0000-00000000002a',
  causation: '6b1c2d3e-4f50-5a61-8b72-9c83ad94be05',
  actor: 'callbacks',
  merchant: 'acme',
  commandId: 'b7c1a1de-0000-4000-8000-000000000001',
  recordedAt: 1_704_067_200_000 as Instant,
};

const instant = () => fc.integer({ min: 0, max: 4_000_000_000_000 }).map((ms) => ms as Instant);
const word = () => fc.stringMatching(/^[A-Z_]{1,64}$/);
const failure = (): fc.Arbitrary<TryFailure> =>
  fc.oneof(
    fc.record({ cause: fc.constant('answered' as const), status: fc.integer({ min: 100, max: 999 }) }),
    fc.record({ cause: fc.constant('connection-failed' as const), code: word() }),
    fc.record({ cause: fc.constant('refused-target' as const), reason: word() }),
    fc
      .constantFrom<TryFailure['cause'][]>(
        'timed-out',
        'answer-too-large',
        'answer-malformed',
        'not-acknowledged',
        'malformed-request',
        'no-address',
        'unknown-merchant',
      )
      .map((cause) => ({ cause }) as TryFailure),
  );
const identity = {
  factId: fc.uuid().map((id) => id as EventId),
  target: fc.constantFrom('callback' as const, 'notify' as const, 'notification' as const),
  orderStream: fc.stringMatching(/^payment-[a-z2-7]{52}$/).map((name) => name as StreamName),
};
const tries = () => fc.integer({ min: 1, max: 30 });
const event = (): fc.Arbitrary<DeliveryEvent> =>
  fc.oneof(
    fc.record({
      type: fc.constant('CallbackDelivered' as const),
      data: fc.record({ ...identity, tries: tries(), status: fc.constant(200), deliveredAt: instant() }),
    }),
    fc.record({
      type: fc.constant('CallbackFailed' as const),
      data: fc.record({ ...identity, tryNumber: tries(), failure: failure(), failedAt: instant(), nextTryAt: instant() }),
    }),
    fc.record({
      type: fc.constant('CallbackExhausted' as const),
      data: fc.record({ ...identity, tries: tries(), failure: failure(), exhaustedAt: instant() }),
    }),
    fc.record({
      type: fc.constant('CallbackResendRequested' as const),
      data: fc.record({ ...identity, reason: fc.base64String().map((text) => text as Sealed), requestedAt: instant() }),
    }),
  );

const stored = (one: DeliveryEvent): StoredEvent => ({
  ...deliveryCodec.encode([one], stream, 'no_stream', envelope)[0],
  stream,
  revision: 0n as Revision,
  position: '1' as Position,
  createdMs: 0,
});

describe('deliveryCodec', () => {
  it('decodes every encoded event', () => {
    fc.assert(fc.property(event(), (one) => expect(deliveryCodec.decode(stored(one))).toEqual(one)));
  });

  const failed = (given: object): CallbackFailed =>
    ({
      type: 'CallbackFailed',
      data: {
        factId: '6b1c2d3e-4f50-5a61-8b72-9c83ad94be05',
        target: 'callback',
        orderStream: 'payment-aaaa',
        tryNumber: 1,
        failure: { cause: 'timed-out' },
        failedAt: 1_704_067_200_000,
        nextTryAt: 1_704_067_215_000,
        ...given,
      },
    }) as CallbackFailed;

  it('encodes a failure as canonical JSON', () => {
    expect(stored(failed({ failure: { cause: 'answered', status: 503 } })).data).toBe(
      '{"factId":"6b1c2d3e-4f50-5a61-8b72-9c83ad94be05","failedAt":1704067200000,"failure":{"cause":"answered","status":503},' +
        '"nextTryAt":1704067215000,"orderStream":"payment-aaaa","target":"callback","tryNumber":1}',
    );
  });

  it.each<[string, object]>([
    ['an address', { url: 'https://acme.example/callback' }],
    ['a body', { body: '{}' }],
    ['another target', { target: 'merchant' }],
    ['another cause', { failure: { cause: 'asleep' } }],
    ['a status without an answer', { failure: { cause: 'timed-out', status: 200 } }],
    ['an answer without a status', { failure: { cause: 'answered' } }],
    ['a broken time', { nextTryAt: Number.NaN }],
  ])('rejects %s', (_, given) => expect(() => stored(failed(given))).toThrow(EventRefused));

  it('has exactly the four delivery events', () => {
    expect(deliveryCodec.category).toBe('delivery');
    expect(deliveryCodec.describe().map(({ type, version }) => `${type} ${version}`)).toStrictEqual([
      'CallbackDelivered 1',
      'CallbackExhausted 1',
      'CallbackFailed 1',
      'CallbackResendRequested 1',
    ]);
  });
});

goldenSpec(deliveryCodec, join(__dirname, '../golden'));

const target = () => fc.constantFrom('callback' as const, 'notify' as const);
const factId = () => fc.uuid().map((text) => text as EventId);

describe('the key of a delivery', () => {
  it('is parsed into its fact and target', () => {
    fc.assert(
      fc.property(factId(), target(), (fact, to) => expect(parseDeliveryKey(deliveryKey(fact, to))).toEqual({ factId: fact, target: to })),
    );
  });

  it('is recognised in a text, unlike any other text', () => {
    fc.assert(fc.property(factId(), target(), (fact, to) => expect(isDeliveryKey(deliveryKey(fact, to))).toBe(true)));
    fc.assert(fc.property(fc.string(), (text) => expect(isDeliveryKey(text)).toBe(false)));
    expect(isDeliveryKey('5a17c0de-0000-5000-8000-00000000dead:merchant')).toBe(false);
  });

  it.each(['', ':', ':callback', 'abc', 'abc:', 'abc:merchant', 'abc:callback:notify', 'abc:toString', 'abc:__proto__'])(
    'rejects %j',
    (key) => expect(() => parseDeliveryKey(key)).toThrow('an item of the open work is no delivery'),
  );
});

describe('the stream of a delivery', () => {
  it('differs for each fact and target and has the delivery category (architecture, rule 1)', () => {
    fc.assert(
      fc.property(factId(), target(), factId(), target(), (fact, to, otherFact, otherTo) => {
        const isSame = fact === otherFact && to === otherTo;
        expect(deliveryStream(fact, to)).toMatch(/^delivery-[a-z2-7]{52}$/);
        expect(deliveryStream(fact, to) === deliveryStream(otherFact, otherTo)).toBe(isSame);
      }),
    );
  });

  it('keeps its stored name across releases', () => {
    expect(deliveryStream('6b1c2d3e-4f50-5a61-8b72-9c83ad94be05' as EventId, 'callback')).toBe(
      'delivery-7j27n5th2jt4ij3qzxzt4godhqozow2nugm2jr4gpb6bvmmnjaxq',
    );
  });
});
