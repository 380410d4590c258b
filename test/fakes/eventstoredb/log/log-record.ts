export const JSON_CONTENT = 'application/json';
export const BINARY_CONTENT = 'application/octet-stream';
/** Revision of the tombstone event, which ends a stream for ever. */
export const TOMBSTONE_REVISION = 9_223_372_036_854_775_807n;

export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface LogRecord extends ProposedEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit and prepare position are equal in this version's format. */
  readonly position: bigint;
  readonly createdMs: number;
}

const RECORD_BYTES = 88;
const LENGTH_BYTE_VALUES = 128;
const textBytes = (text: string): number => {
  const bytes = Buffer.byteLength(text);
  let lengthBytes = 1;
  for (let rest = bytes; rest >= LENGTH_BYTE_VALUES; rest = Math.floor(rest / LENGTH_BYTE_VALUES)) lengthBytes += 1;
  return lengthBytes + bytes;
};

export const recordBytes = (stream: string, type: string, dataBytes: number, metadataBytes: number): bigint =>
  BigInt(RECORD_BYTES + textBytes(stream) + textBytes(type) + dataBytes + metadataBytes);
