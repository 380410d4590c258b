import fc from 'fast-check';
import { hashOf } from './event-hash';
import { newEvent } from '../testing/new-events';
import type { EventId, NewEvent } from './port';

describe('the hash of an event', () => {
  it('keeps its form for ever, so that a log written today stays verifiable', () => {
    const event: NewEvent = {
      id: '0f0e0d0c-0b0a-5908-8706-050403020100' as EventId,
      type: 'OrderAccepted',
      data: '{"note":"é€😀"}',
      metadata: '{"previousHash":null,"recordedAt":1,"schemaVersion":1}',
    };
    expect(hashOf(event)).toBe('c21dada3a477b1ade8ea37df419296eed056698f211dcf8e152e33d26c2f8197');
  });

  it('differs wherever two events differ, also where a text moves from one member to the next', () => {
    const texts = fc.record({ type: fc.string(), data: fc.string(), metadata: fc.string() });
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const isSame = a.type === b.type && a.data === b.data && a.metadata === b.metadata;
        expect(hashOf(newEvent('x', a)) === hashOf(newEvent('x', b))).toBe(isSame);
      }),
      {
        examples: [
          [
            { type: 'ab', data: 'c', metadata: '' },
            { type: 'a', data: 'bc', metadata: '' },
          ],
        ],
      },
    );
  });
});
