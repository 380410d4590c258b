import type { Socket } from 'node:net';

const STATUS_LINE = /^HTTP\/1\.[01] ([2-5]\d\d)[ \r\n]/;
/** As much as a status line needs up to its status. */
const HEAD_CHARACTERS_MAX = 16;

const statuses = new WeakMap<Error, number>();

/** The status that had come before a connection failed, for headers that the HTTP client gives up on before it reports a status. */
export const statusBefore = (error: Error): number | undefined => statuses.get(error);

/** Remembers the first bytes that are read after each write: with one call at a time on a socket, they begin the answer. */
export const watchStatus = (socket: Socket): Socket => {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...parameters: unknown[]) => boolean;
  let head = '';
  socket.write = (...parameters: unknown[]): boolean => {
    head = '';
    return write(...parameters);
  };
  socket.read = (size?: number): Buffer | null => {
    const piece = read(size);
    if (piece !== null && head.length < HEAD_CHARACTERS_MAX) head += piece.toString('latin1', 0, HEAD_CHARACTERS_MAX);
    return piece;
  };
  socket.on('error', (error: Error) => {
    const [, status] = STATUS_LINE.exec(head) ?? [];
    if (status !== undefined) statuses.set(error, Number(status));
  });
  return socket;
};
