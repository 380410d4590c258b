import { constants, inflateRawSync } from 'node:zlib';
import { ENCODINGS, GZIP } from './encodings';

export interface Wanted {
  readonly text: string;
  readonly name: string;
}

export interface Hit {
  readonly wanted: Wanted;
  readonly encoding: string;
  readonly where: string;
  readonly offset: number;
}

interface Pattern {
  readonly bytes: Buffer;
  readonly wanted: Wanted;
  readonly encoding: string;
}

const WINDOW_BYTES = 12;
const HASH_BASE = 0x01000193;
const FILTER_BITS = 24;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);
const GZIP_INPUT_BYTES_MAX = 1 << 20;
const GZIP_OUTPUT_BYTES_MAX = 1 << 22;

const LEAVING_FACTOR = ((): number => {
  let factor = 1;
  for (let step = 1; step < WINDOW_BYTES; step++) factor = Math.imul(factor, HASH_BASE);
  return factor;
})();

const hashOf = (bytes: Buffer): number => {
  let hash = 0;
  for (let index = 0; index < WINDOW_BYTES; index++) hash = (Math.imul(hash, HASH_BASE) + (bytes[index] ?? 0)) | 0;
  return hash;
};

/** Finds many texts in any encoding in one pass: a rolling hash filters windows, then the bytes are compared. */
export class ByteScanner {
  readonly #patterns = new Map<number, Pattern[]>();
  readonly #filter = new Uint8Array(1 << FILTER_BITS);

  constructor(wanted: readonly Wanted[]) {
    for (const one of wanted) {
      for (const [encoding, encode] of Object.entries(ENCODINGS)) this.#add({ bytes: encode(one.text), wanted: one, encoding });
    }
  }

  scan(bytes: Buffer, where: string): Hit[] {
    return [...this.#scanPlain(bytes, where), ...this.#scanPacked(bytes, where)];
  }

  #add(pattern: Pattern): void {
    if (pattern.bytes.length < WINDOW_BYTES) throw new Error(`too short to be looked for: ${pattern.encoding}`);
    const hash = hashOf(pattern.bytes);
    const known = this.#patterns.get(hash);
    if (known === undefined) this.#patterns.set(hash, [pattern]);
    else known.push(pattern);
    this.#filter[hash >>> (32 - FILTER_BITS)] = 1;
  }

  #scanPlain(bytes: Buffer, where: string): Hit[] {
    const hits: Hit[] = [];
    if (bytes.length < WINDOW_BYTES) return hits;
    let hash = hashOf(bytes);
    for (let offset = 0; ; offset++) {
      if (this.#filter[hash >>> (32 - FILTER_BITS)] === 1) hits.push(...this.#at(bytes, offset, hash, where));
      const entering = bytes[offset + WINDOW_BYTES];
      if (entering === undefined) return hits;
      const leaving = Math.imul(bytes[offset] ?? 0, LEAVING_FACTOR);
      hash = (Math.imul(hash - leaving, HASH_BASE) + entering) | 0;
    }
  }

  #at(bytes: Buffer, offset: number, hash: number, where: string): Hit[] {
    const found = (this.#patterns.get(hash) ?? []).filter((pattern) =>
      bytes.subarray(offset, offset + pattern.bytes.length).equals(pattern.bytes),
    );
    return found.map(({ wanted, encoding }) => ({ wanted, encoding, where, offset }));
  }

  #scanPacked(bytes: Buffer, where: string): Hit[] {
    const hits: Hit[] = [];
    for (let offset = bytes.indexOf(GZIP_MAGIC); offset >= 0; offset = bytes.indexOf(GZIP_MAGIC, offset + 1)) {
      const unpacked = unpack(bytes.subarray(offset, offset + GZIP_INPUT_BYTES_MAX));
      const found = unpacked === undefined ? [] : this.#scanPlain(unpacked, where);
      hits.push(...found.map((hit) => ({ ...hit, encoding: GZIP, offset })));
    }
    return hits;
  }
}

const GZIP_HEADER_BYTES = 10;
const FLAGS_AT = 3;
/** Parts of a gzip header that end with a zero byte: file name and comment (RFC 1952). */
const TEXT_FLAGS = [0x08, 0x10] as const;

const headerLengthOf = (bytes: Buffer): number => {
  let length = GZIP_HEADER_BYTES;
  for (const flag of TEXT_FLAGS) if (((bytes[FLAGS_AT] ?? 0) & flag) !== 0) length = bytes.indexOf(0, length) + 1;
  return length;
};

/** Unpacks as much as it can of a truncated stream; undefined if the three magic bytes occurred by chance. */
const unpack = (bytes: Buffer): Buffer | undefined => {
  try {
    const packed = bytes.subarray(headerLengthOf(bytes));
    return inflateRawSync(packed, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: GZIP_OUTPUT_BYTES_MAX });
  } catch {
    return undefined;
  }
};
