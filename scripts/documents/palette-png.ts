import { deflateSync, inflateSync, crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS_MAX = 256;
/** Bits of each channel by which similar colours count as one. */
const BITS = 5;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Three bytes each. */
  readonly rgb: Buffer;
}

const paeth = (a: number, b: number, c: number): number => {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};

/** Reads a PNG of a screenshot: 8 bits, RGB or RGBA, not interlaced. @throws Error for another one */
export const pixelsOf = (png: Buffer): Pixels => {
  const parts: Buffer[] = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      channels = { 2: 3, 6: 4 }[data[9] ?? 0] ?? 0;
      if (data[8] !== 8 || channels === 0 || data[12] !== 0) throw new Error('not a PNG with 8 bits of RGB or RGBA');
    } else if (type === 'IDAT') parts.push(data);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const lines = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const value = raw[y * (stride + 1) + 1 + x] ?? 0;
      const left = x >= channels ? (lines[y * stride + x - channels] ?? 0) : 0;
      const up = y > 0 ? (lines[(y - 1) * stride + x] ?? 0) : 0;
      const corner = x >= channels && y > 0 ? (lines[(y - 1) * stride + x - channels] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      lines[y * stride + x] = (value + guess) & 0xff;
    }
  }
  if (channels === 3) return { width, height, rgb: lines };
  const rgb = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) lines.copy(rgb, pixel * 3, pixel * 4, pixel * 4 + 3);
  return { width, height, rgb };
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

interface Shade {
  readonly rgb: readonly [number, number, number];
  count: number;
}

const shadeOf = (r: number, g: number, b: number): number => {
  const cut = 8 - BITS;
  return ((r >> cut) << (2 * BITS)) | ((g >> cut) << BITS) | (b >> cut);
};

/** The same picture with at most 256 colours, the most frequent ones: a third of the size, and sharp text. */
export const withPalette = ({ width, height, rgb }: Pixels): Buffer => {
  const exact = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3) {
    const colour = rgb.readUIntBE(at, 3);
    exact.set(colour, (exact.get(colour) ?? 0) + 1);
  }
  // Each shade is drawn in its most frequent colour, so that flat areas keep theirs exactly.
  const shades = new Map<number, Shade & { best: number }>();
  for (const [colour, count] of exact) {
    const channels = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff] as const;
    const shade = shades.get(shadeOf(...channels));
    if (shade === undefined) shades.set(shadeOf(...channels), { rgb: channels, count, best: count });
    else {
      shades.set(shadeOf(...channels), {
        rgb: count > shade.best ? channels : shade.rgb,
        count: shade.count + count,
        best: Math.max(count, shade.best),
      });
    }
  }
  const kept = [...shades.values()].sort((one, other) => other.count - one.count).slice(0, COLOURS_MAX);
  const nearest = new Map<number, number>();
  const indexOf = (colour: number): number => {
    const known = nearest.get(colour);
    if (known !== undefined) return known;
    const [r, g, b] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
    let [best, distance] = [0, Infinity];
    kept.forEach(({ rgb: [kr, kg, kb] }, index) => {
      const far = (kr - r) ** 2 + (kg - g) ** 2 + (kb - b) ** 2;
      if (far < distance) [best, distance] = [index, far];
    });
    nearest.set(colour, best);
    return best;
  };
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = indexOf(rgb.readUIntBE((y * width + x) * 3, 3));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(kept.flatMap(({ rgb: channels }) => channels))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};
