import { systemRandom } from '@app/kernel';
import { Ivs } from './ivs';

describe('ivs', () => {
  it('are 12 bytes each and never come twice, over many draws', () => {
    const ivs = new Ivs(systemRandom);
    const given = Array.from({ length: 10_000 }, () => Buffer.from(ivs.next()).toString('hex'));
    expect(new Set(given).size).toBe(10_000);
    for (const iv of given) expect(iv).toHaveLength(24);
  });

  it('are what chance gave, in its order', () => {
    let draws = 0;
    const ivs = new Ivs({
      bytes: (size) => Uint8Array.from({ length: size }, (_, at) => (at + draws) & 0xff).fill(++draws, 0, 1),
      fraction: () => 0,
    });
    const given = Array.from({ length: 257 }, () => ivs.next());
    expect(given[0]).toEqual(Uint8Array.from([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
    expect(given[1]?.[0]).toBe(12);
    expect(given[256]?.[0]).toBe(2);
  });
});
