export const JSON_CONTENT = 'application/json';
export const BINARY_CONTENT = 'application/octet-stream';
/** The revision of the event that ends a stream for ever. */
export const TOMBSTONE_REVISION = 9_223_372_036_854_775_807n;

export interface ProposedEvent {
  /** Lower case. */
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface LogRecord extends ProposedEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit and prepare position are one in this version's format. */
  readonly position: bigint;
  readonly createdMs: number;
}

/** Header, ids, time, flags and lengths of a record in the log. */
const RECORD_BYTES = 88;
const LENGTH_BYTE_VALUES = 128;
/** A text goes with its length before it, seven bits a byte. */
const textBytes = (text: string): number => {
  const bytes = Buffer.byteLength(text);
  let lengthBytes = 1;
  for (let rest = bytes; rest >= LENGTH_BYTE_VALUES; rest = Math.floor(rest / LENGTH_BYTE_VALUES)) lengthBytes += 1;
  return lengthBytes + bytes;
};

/** How far a record moves the position of the next. */
export const recordBytes = (stream: string, type: string, dataBytes: number, metadataBytes: number): bigint =>
  BigInt(RECORD_BYTES + textBytes(stream) + textBytes(type) + dataBytes + metadataBytes);
