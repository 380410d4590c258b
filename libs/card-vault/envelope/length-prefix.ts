const LENGTH_BYTES = 4;

/**
 * Joins parts so that no two lists of parts give the same bytes: each part after its length, 4 bytes big endian; texts as UTF-8
 * (safety, section 5.2). What is authenticated or digested goes through here. A lone surrogate is the edge's to refuse: UTF-8 has none.
 */
export const lp = (parts: readonly (string | Uint8Array)[]): Buffer => asciiLp(parts) ?? mixedLp(parts);

const PREFIX_OF_SHORT = Array.from({ length: 0x80 }, (_, length) => `\0\0\0${String.fromCharCode(length)}`);

/** Short ASCII texts alone, which is nearly all: one byte for each character, so that joining texts joins bytes, several times quicker. */
const asciiLp = (parts: readonly (string | Uint8Array)[]): Buffer | undefined => {
  let joined = '';
  for (const part of parts) {
    const prefix = typeof part === 'string' ? PREFIX_OF_SHORT[part.length] : undefined;
    if (prefix === undefined) return undefined;
    joined += prefix + (part as string);
  }
  return Buffer.byteLength(joined) === joined.length ? Buffer.from(joined, 'latin1') : undefined;
};

const mixedLp = (parts: readonly (string | Uint8Array)[]): Buffer => {
  let sizeBytes = 0;
  for (const part of parts) sizeBytes += LENGTH_BYTES + (typeof part === 'string' ? Buffer.byteLength(part) : part.length);
  const joined = Buffer.allocUnsafe(sizeBytes);
  let at = 0;
  for (const part of parts) {
    const from = at + LENGTH_BYTES;
    let lengthBytes: number;
    if (typeof part === 'string') {
      lengthBytes = joined.write(part, from, 'utf8');
    } else {
      joined.set(part, from);
      lengthBytes = part.length;
    }
    joined.writeUInt32BE(lengthBytes, at);
    at = from + lengthBytes;
  }
  return joined;
};

/** The first `count` parts of what `lp` joined, and what follows them; undefined where it is cut short. */
export const readLp = (joined: Buffer, count: number): { readonly parts: readonly Buffer[]; readonly rest: Buffer } | undefined => {
  const parts: Buffer[] = [];
  let at = 0;
  while (parts.length < count) {
    if (at + LENGTH_BYTES > joined.length) return undefined;
    const from = at + LENGTH_BYTES;
    const end = from + joined.readUInt32BE(at);
    if (end > joined.length) return undefined;
    parts.push(joined.subarray(from, end));
    at = end;
  }
  return { parts, rest: joined.subarray(at) };
};
