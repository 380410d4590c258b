import { seededRandom } from '@app/testing';
import { BrokenChain } from '../../core/chain';
import { checksumOf, storedEvent, type EventRow } from './event-row';

describe('event row', () => {
  it('has a checksum that detects any of 1,000 random bit flips', () => {
    const random = seededRandom(3);
    const fields = ['order-1', '5', 'id-1', 'Accepted', '{"actor":"a"}', `{"text":"${'x'.repeat(300)}é"}`] as const;
    const checksum = (texts: readonly string[]): number =>
      checksumOf(texts[0] ?? '', Number(texts[1]), texts[2] ?? '', texts[3] ?? '', texts[4] ?? '', texts[5] ?? '');
    const whole = checksum(fields);
    let flips = 0;
    while (flips < 1_000) {
      const place = Math.floor(random.fraction() * fields.length);
      const bytes = Buffer.from(fields[place] ?? '');
      const at = Math.floor(random.fraction() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random.fraction() * 7));
      const flipped = fields.map((text, index) => (index === place ? bytes.toString('latin1') : text));
      if (place === 1 && Number(flipped[1]) === Number(fields[1])) continue;
      expect(checksum(flipped)).not.toBe(whole);
      flips += 1;
    }
  });

  it('is refused on reading if it does not fit its checksum or category', () => {
    const checksum = checksumOf('order-1', 5, 'id-1', 'Accepted', '{}', '{"a":1}');
    const rowWith = (revision: number, data: string, category = 'order'): EventRow => [
      7,
      'order-1',
      revision,
      'id-1',
      'Accepted',
      1,
      checksum,
      '{}',
      data,
      category,
    ];
    expect(storedEvent(rowWith(5, '{"a":1}'))).toStrictEqual({
      id: 'id-1',
      type: 'Accepted',
      data: '{"a":1}',
      metadata: '{}',
      stream: 'order-1',
      revision: 5n,
      position: '7',
      createdMs: 1,
    });
    expect(() => storedEvent(rowWith(5, '{"a":2}'))).toThrow(BrokenChain);
    expect(() => storedEvent(rowWith(6, '{"a":1}'))).toThrow('order-1 revision 6 (position 7): the row does not fit its checksum');
    for (const other of ['zzz', 'orde', 'order-1', ''])
      expect(() => storedEvent(rowWith(5, '{"a":1}', other))).toThrow('order-1 revision 5 (position 7): the row does not fit its category');
  });
});
