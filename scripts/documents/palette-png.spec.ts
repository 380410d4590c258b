import { deflateSync } from 'node:zlib';
import { pixelsOf, withPalette } from './palette-png';

const picture = { width: 4, height: 3, rgb: Buffer.from(Array.from({ length: 36 }, (_, at) => (at % 6 < 3 ? 0xf0 : 0x10))) };

const indexesOf = (png: Buffer): Buffer => png.subarray(png.indexOf('IDAT') + 4);

it('keeps the colours of a picture with few of them', () => {
  const png = withPalette(picture);
  const palette = png.subarray(png.indexOf('PLTE') + 4, png.indexOf('PLTE') + 10);
  expect([palette.subarray(0, 3), palette.subarray(3)].map((colour) => [...colour]).sort()).toStrictEqual([
    [0x10, 0x10, 0x10],
    [0xf0, 0xf0, 0xf0],
  ]);
  expect(indexesOf(png).subarray(0, 2)).toStrictEqual(deflateSync(Buffer.alloc(15), { level: 9 }).subarray(0, 2));
});

it('refuses what is no picture with 8 bits of RGB', () => {
  expect(() => pixelsOf(withPalette(picture))).toThrow('not a PNG with 8 bits of RGB or RGBA');
});
