import { GrpcCode, GrpcFailure } from './grpc-failure';

const PREFIX_BYTES = 5;
const LENGTH_AT = 1;
/** Maximum size of a record in EventStoreDB's log. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

export const framed = (message: Uint8Array): Buffer => {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, LENGTH_AT);
  return Buffer.concat([prefix, message]);
};

/**
 * Chunks may end anywhere; an incomplete last message is dropped.
 * @throws GrpcFailure for a message above the limit, before it has arrived
 */
export async function* unframed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer[] = [];
  let bytes = 0;
  let needed = PREFIX_BYTES;
  for await (const chunk of chunks) {
    held.push(chunk);
    bytes += chunk.length;
    while (bytes >= needed) {
      const all = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
      held = [all];
      const end = PREFIX_BYTES + all.readUInt32BE(LENGTH_AT);
      if (end - PREFIX_BYTES > MESSAGE_BYTES_MAX) {
        throw new GrpcFailure(GrpcCode.resourceExhausted, 'Received message exceeds the maximum configured message size.');
      }
      needed = end;
      if (bytes < end) break;
      held = [all.subarray(end)];
      bytes -= end;
      needed = PREFIX_BYTES;
      yield all.subarray(PREFIX_BYTES, end);
    }
  }
}
