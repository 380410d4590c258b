import type { Socket } from 'node:net';

/** More came over the wire than any answer within the limits needs. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  constructor() {
    super('the answer is too large on the wire');
  }
}

/** A body in chunks of one byte each takes this many bytes a byte. */
export const WIRE_BYTES_PER_BYTE = 6;

/**
 * Ends a connection over which one answer brings too many bytes, whatever they are: extensions of chunks, blanks in headers and interim answers count
 * towards no limit of the HTTP client, and its parts of a header keep all that was read with them.
 */
export const limitWire = (socket: Socket, bytesMax: number): void => {
  let written = socket.bytesWritten;
  let readBefore = socket.bytesRead;
  let from = readBefore;
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      from = readBefore;
    }
    readBefore = socket.bytesRead;
    if (readBefore - from > bytesMax) socket.destroy(new AnswerTooLarge());
  });
};
