import type { EventId } from '@app/event-store';
import fc from 'fast-check';
import { deliveryKey, isDeliveryKey, parseDeliveryKey, deliveryStream } from './delivery.codec';

const target = () => fc.constantFrom('callback' as const, 'notify' as const);
const factId = () => fc.uuid().map((text) => text as EventId);

describe('the key of a delivery', () => {
  it('is parsed into the fact and target that it was made of', () => {
    fc.assert(
      fc.property(factId(), target(), (fact, to) => expect(parseDeliveryKey(deliveryKey(fact, to))).toEqual({ factId: fact, target: to })),
    );
  });

  it('is recognised in a typed text, and nothing else is', () => {
    fc.assert(fc.property(factId(), target(), (fact, to) => expect(isDeliveryKey(deliveryKey(fact, to))).toBe(true)));
    fc.assert(fc.property(fc.string(), (text) => expect(isDeliveryKey(text)).toBe(false)));
    expect(isDeliveryKey('5a17c0de-0000-5000-8000-00000000dead:merchant')).toBe(false);
  });

  it.each(['', ':', ':callback', 'abc', 'abc:', 'abc:merchant', 'abc:callback:notify', 'abc:toString', 'abc:__proto__'])(
    'is not %j',
    (key) => expect(() => parseDeliveryKey(key)).toThrow('an item of the open work is no delivery'),
  );
});

describe('the stream of a delivery', () => {
  it('is one per fact and target, in the category of deliveries (architecture, rule 1)', () => {
    fc.assert(
      fc.property(factId(), target(), factId(), target(), (fact, to, otherFact, otherTo) => {
        const isSame = fact === otherFact && to === otherTo;
        expect(deliveryStream(fact, to)).toMatch(/^delivery-[a-z2-7]{52}$/);
        expect(deliveryStream(fact, to) === deliveryStream(otherFact, otherTo)).toBe(isSame);
      }),
    );
  });

  it('keeps the name that earlier releases stored', () => {
    expect(deliveryStream('6b1c2d3e-4f50-5a61-8b72-9c83ad94be05' as EventId, 'callback')).toBe(
      'delivery-7j27n5th2jt4ij3qzxzt4godhqozow2nugm2jr4gpb6bvmmnjaxq',
    );
  });
});
