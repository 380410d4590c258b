const LENGTH_BYTES = 4;

/**
 * Joins parts so that different lists of parts give different bytes: each part follows its length of 4 bytes, big endian, and texts are UTF-8
 * (safety, section 5.2). All authenticated or digested data use it. The edge must refuse lone surrogates, which UTF-8 cannot represent.
 */
export const lp = (parts: readonly (string | Uint8Array)[]): Buffer => asciiLp(parts) ?? mixedLp(parts);

const PREFIX_OF_SHORT = Array.from({ length: 0x80 }, (_, length) => `\0\0\0${String.fromCharCode(length)}`);

/** A faster path for short ASCII texts, which nearly all are: one byte per character, so that joining texts joins bytes. */
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

/** The first `count` parts that `lp` joined, and the remaining bytes; undefined where they are cut short. */
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
