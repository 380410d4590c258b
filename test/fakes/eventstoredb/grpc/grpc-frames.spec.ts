import fc from 'fast-check';
import { GrpcFailure } from './grpc-failure';
import { framed, MESSAGE_BYTES_MAX, unframed } from './grpc-frames';

/** Cuts the stream at the given places, as a network may. */
async function* cut(stream: Buffer, places: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...places.map((place) => place % (stream.length + 1)), stream.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    yield stream.subarray(start, end);
    start = end;
  }
}

const messagesOf = async (chunks: AsyncIterable<Buffer>): Promise<string[]> => {
  const messages: string[] = [];
  for await (const message of unframed(chunks)) messages.push(message.toString('hex'));
  return messages;
};

const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 12 });
const places = fc.array(fc.nat(), { maxLength: 20 });

describe('the messages of a stream', () => {
  it('are read unchanged, wherever the stream is cut', () =>
    fc.assert(
      fc.asyncProperty(messages, places, async (sent, at) => {
        const stream = Buffer.concat(sent.map(framed));
        await expect(messagesOf(cut(stream, at))).resolves.toStrictEqual(sent.map((message) => Buffer.from(message).toString('hex')));
      }),
    ));

  it('are read only whole, without one that was broken off', () =>
    fc.assert(
      fc.asyncProperty(messages, fc.uint8Array({ minLength: 1, maxLength: 50 }), places, async (sent, last, at) => {
        const stream = Buffer.concat([...sent.map(framed), framed(last).subarray(0, -1)]);
        await expect(messagesOf(cut(stream, at))).resolves.toHaveLength(sent.length);
      }),
    ));

  it('are refused beyond the size limit before they have arrived, and accepted at the limit', async () => {
    const prefix = (bytes: number): Buffer => {
      const start = Buffer.alloc(5);
      start.writeUInt32BE(bytes, 1);
      return start;
    };
    await expect(messagesOf(cut(prefix(MESSAGE_BYTES_MAX + 1), []))).rejects.toThrow(GrpcFailure);
    await expect(messagesOf(cut(prefix(MESSAGE_BYTES_MAX), []))).resolves.toStrictEqual([]);
  });
});
