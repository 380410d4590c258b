import fc from 'fast-check';
import { consistencyPath, Frontier, inclusionPath, isConsistent, isIncluded, leafHash, peaksAt, rootAt } from './merkle';
import { MemoryFiles } from './testing/memory-files';
import { GrowingTiles, numberPath, TileDamaged, tilePath, TileReader, tileWidth } from './tiles';

const leaf = (index: number): Buffer => leafHash(`leaf ${index}`);
const SIZE_MAX = 70_000;
const roots = (() => {
  const frontier = new Frontier();
  return Array.from({ length: SIZE_MAX + 1 }, (_, size) => {
    const root = [0, 1, 255, 256, 257, 65_535, 65_536, 65_537].includes(size) || size % 100 === 0 ? frontier.root() : undefined;
    frontier.push(leaf(size));
    return root;
  });
})();

const written = async (...sizes: readonly number[]): Promise<MemoryFiles> => {
  const files = new MemoryFiles();
  let before = 0;
  for (const size of sizes) {
    const reader = new TileReader(files, before);
    const tiles = await GrowingTiles.of(reader);
    const frontier = new Frontier((height, _index, hash) => tiles.add(height, hash), before, await peaksAt(reader, before));
    for (let index = before; index < size; index++) frontier.push(leaf(index));
    for (const path of await tiles.flush(files)) await files.remove(path);
    before = size;
  }
  return files;
};

describe('tile path (C2SP tlog-tiles)', () => {
  it.each([
    [0, '000'],
    [7, '007'],
    [999, '999'],
    [1_000, 'x001/000'],
    [1_234_067, 'x001/x234/067'],
  ])('of number %i is %s', (number, path) => {
    expect(numberPath(number)).toBe(path);
  });

  it('contains the width of a partial tile', () => {
    expect([tilePath(0, 273, 112), tilePath(1, 1, 17), tilePath(2, 0)]).toStrictEqual([
      'tile/0/273.p/112',
      'tile/1/001.p/17',
      'tile/2/000',
    ]);
    expect([tileWidth(0, 272, 70_000), tileWidth(0, 273, 70_000), tileWidth(1, 1, 70_000), tileWidth(2, 0, 70_000)]).toStrictEqual([
      256, 112, 17, 1,
    ]);
  });
});

describe('tree in tiles', () => {
  it('has exactly the tiles of the example in the specification, in one or several writes', async () => {
    const files = await written(1, 255, 256, 300, 65_536, 70_000);
    const names = [...files.files.keys()];
    expect(names.filter((name) => name.startsWith('tile/0/'))).toHaveLength(274);
    expect(names.filter((name) => !name.startsWith('tile/0/')).sort()).toStrictEqual(['tile/1/000', 'tile/1/001.p/17', 'tile/2/000.p/1']);
    expect(names.filter((name) => name.includes('.p/')).sort()).toStrictEqual(['tile/0/273.p/112', 'tile/1/001.p/17', 'tile/2/000.p/1']);
    const once = await written(70_000);
    expect(new Map([...files.files].sort())).toStrictEqual(new Map([...once.files].sort()));
  });

  it('returns every older root, and valid inclusion and consistency proofs', async () => {
    const reader = new TileReader(await written(65_537, 70_000), 70_000);
    for (const size of [0, 1, 255, 256, 257, 65_500, 65_535, 65_536, 65_537, 70_000])
      await expect(rootAt(reader, size)).resolves.toStrictEqual(roots[size]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 700 }), fc.nat(), async (hundreds, at) => {
        const size = hundreds * 100;
        const root = roots[size] as Buffer;
        const index = at % size;
        const path = await inclusionPath(reader, index, size);
        expect(isIncluded({ leaf: leaf(index), index, size, root }, path)).toBe(true);
        expect(isIncluded({ leaf: leaf(index + 1), index, size, root }, path)).toBe(false);
        const later = { size: 70_000, root: roots[70_000] as Buffer };
        expect(isConsistent({ size, root }, later, await consistencyPath(reader, size, 70_000))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('returns a tile of a smaller tree from the full tile that replaced it, and older roots', async () => {
    const files = await written(300, 1_000);
    expect(files.files.has('tile/0/001.p/44')).toBe(false);
    await expect(new TileReader(files, 300).tile(0, 1)).resolves.toHaveLength(44 * 32);
    await expect(rootAt(new TileReader(files, 1_000), 300)).resolves.toStrictEqual(roots[300]);
  });

  it('throws TileDamaged if a tile is missing or has another length', async () => {
    const files = await written(300);
    const tile = files.files.get('tile/0/000') as Buffer;
    const node = { height: 3, index: 0 };
    files.files.set('tile/0/000', tile.subarray(0, -1));
    await expect(new TileReader(files, 300).node(node)).rejects.toStrictEqual(new TileDamaged('tile/0/000 has 8191 bytes'));
    files.files.delete('tile/0/000');
    await expect(new TileReader(files, 300).node(node)).rejects.toStrictEqual(new TileDamaged('tile/0/000 is missing'));
    await expect(rootAt(new TileReader(files, 300), 600)).rejects.toThrow(TileDamaged);
  });
});
