import fc from 'fast-check';
import type { Instant } from '@app/kernel';
import { hashOf, assertChained, assertFollows, BrokenChain, lastOf } from './chain';
import { newEvent } from '../testing/new-events';
import type { EventId, NewEvent, StoredEvent, StreamName } from './port';
import { MemoryEventStore } from '../stores/memory';
import { metadataWriter } from './envelope';

describe('hashOf', () => {
  it('returns the same hash in every release, so that old logs stay verifiable', () => {
    const event: NewEvent = {
      id: '0f0e0d0c-0b0a-5908-8706-050403020100' as EventId,
      type: 'OrderAccepted',
      data: '{"note":"é€😀"}',
      metadata: '{"previousHash":null,"recordedAt":1,"schemaVersion":1}',
    };
    expect(hashOf(event)).toBe('c21dada3a477b1ade8ea37df419296eed056698f211dcf8e152e33d26c2f8197');
  });

  it('differs if two events differ, even if text moves from one member to the next', () => {
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

const STREAM = 'order-1' as StreamName;
const OTHER = 'order-2' as StreamName;
const envelope = { correlation: 'c', causation: 'c', actor: 'a', merchant: 'm', commandId: 'x', recordedAt: 1 as Instant };

const stored = async (named: StreamName = STREAM): Promise<readonly [StoredEvent, StoredEvent]> => {
  const log = new MemoryEventStore({ now: () => 1 as Instant });
  const write = async (previousHash: string | null, id: string): Promise<StoredEvent> => {
    const metadata = metadataWriter(envelope, named)(previousHash, 1);
    await log.append(STREAM, previousHash === null ? 'no_stream' : (0n as never), [
      { id: id as EventId, type: 'Opened', data: '{}', metadata },
    ]);
    const events: StoredEvent[] = [];
    for await (const event of log.read(STREAM)) events.push(event);
    const last = events.at(-1);
    if (last === undefined) throw new Error('nothing was stored');
    return last;
  };
  const first = await write(null, '00000000-0000-4000-8000-000000000001');
  return [first, await write(lastOf(first).hash, '00000000-0000-4000-8000-000000000002')];
};

const faultOf = (check: () => void): Pick<BrokenChain, 'name' | 'fault' | 'isOfTwo' | 'message'> | undefined => {
  try {
    check();
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
    const { name, fault, isOfTwo, message } = error;
    return { name, fault, isOfTwo, message };
  }
  return undefined;
};

describe('assertFollows and assertChained (safety, F27)', () => {
  it('accept a valid first event and a valid second event', async () => {
    const [first, second] = await stored();
    expect(faultOf(() => assertFollows(first, undefined))).toBeUndefined();
    expect(faultOf(() => assertFollows(second, first))).toBeUndefined();
  });

  it('name the missing revision, and blame only the event itself', async () => {
    const [, second] = await stored();
    const fault = 'revision 0 is missing';
    const message = `order-1 revision 1 (position ${second.position}): ${fault}`;
    expect(faultOf(() => assertChained(second, 'no_stream'))).toStrictEqual({ name: 'BrokenChain', fault, isOfTwo: false, message });
  });

  it('report an event of another stream, and blame only the event itself', async () => {
    const [first] = await stored(OTHER);
    expect(faultOf(() => assertFollows(first, undefined))).toMatchObject({ fault: 'it was written to another stream', isOfTwo: false });
  });

  it('blame two events if the second does not follow from the first', async () => {
    const [first, second] = await stored();
    const edited = { ...first, data: '{"amount":1}' };
    const fault = 'it does not follow from the event before it';
    expect(faultOf(() => assertFollows(second, edited))).toMatchObject({ fault, isOfTwo: true });
  });
});
