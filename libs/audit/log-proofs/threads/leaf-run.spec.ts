import type { StoredEvent } from '@app/event-store';
import { BrokenChain } from '@app/event-store';
import fc from 'fast-check';
import { leafText } from '../building/log-leaf';
import { Frontier } from '../merkle/frontier';
import { HASH_BYTES, leafHash } from '../merkle/merkle-hash';
import { TILE_WIDTH } from '../tiles/tile-path';
import { leafRunOf } from './leaf-run';

const chained = (number: number): StoredEvent =>
  ({
    id: `id-${number}`,
    type: 'Happened',
    data: `{"number":${number}}`,
    metadata: '{"previousHash":null,"recordedAt":1,"schemaVersion":1}',
    stream: `payment-${number % 3}`,
    revision: BigInt(number),
    position: String(number),
    createdMs: 1,
  }) as StoredEvent;
const foreign = (number: number): StoredEvent => ({ ...chained(number), metadata: '{}', stream: `stranger${number}-1` }) as StoredEvent;
const events = (count: number): readonly StoredEvent[] => Array.from({ length: count }, (_, number) => chained(number));

describe('the leaves of a run', () => {
  it('are those of its events in their order, and each tile has the root of its own tree', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(fc.nat(700), { maxLength: 5 }), (tiles, foreigners) => {
        const own = events(tiles * TILE_WIDTH);
        const mixed = own.flatMap((event, at) => [...foreigners.filter((one) => one === at).map(() => foreign(1)), event]);
        const run = leafRunOf(mixed, tiles);
        const frontiers = Array.from({ length: tiles }, () => new Frontier());
        own.forEach((event, at) => frontiers[Math.floor(at / TILE_WIDTH)]?.push(leafHash(leafText(event))));
        const left = mixed.length - own.length;
        expect(run?.leaves.equals(Buffer.concat(own.map((event) => leafHash(leafText(event)))))).toBe(true);
        expect(run?.roots.equals(Buffer.concat(frontiers.map((frontier) => frontier.root())))).toBe(true);
        expect(run).toMatchObject({ leftOut: left, leftOutCategories: left === 0 ? [] : ['stranger1'] });
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['one too few', events(TILE_WIDTH - 1)],
    ['one too many', events(TILE_WIDTH + 1)],
    ['none', []],
  ])('are none where there are %s', (_, some) => {
    expect(leafRunOf(some, 1)).toBeUndefined();
  });

  it('are none among more other services than are kept in mind', () => {
    const strangers = (count: number) => [...Array.from({ length: count }, (_, number) => foreign(number)), ...events(TILE_WIDTH)];
    expect(leafRunOf(strangers(32), 1)?.leftOutCategories).toHaveLength(32);
    expect(leafRunOf(strangers(33), 1)).toBeUndefined();
  });

  it('share their memory with nothing else, so that it can be given away', () => {
    const run = leafRunOf(events(TILE_WIDTH), 1);
    expect(run?.leaves.buffer.byteLength).toBe(TILE_WIDTH * HASH_BYTES);
    expect(run?.roots.buffer.byteLength).toBe(HASH_BYTES);
  });

  it('are none of an iteration that fails', () => {
    const failing = function* () {
      yield chained(0);
      throw new BrokenChain(chained(1), 'the row does not fit its checksum');
    };
    expect(() => leafRunOf(failing(), 1)).toThrow(BrokenChain);
  });
});
