import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ReceivedRequest } from './request-reader';

export type PeerAnswer = (socket: Socket, request: ReceivedRequest) => void;

export interface ReplyParts {
  readonly status?: number;
  /** Default: text/html;charset=utf-8. Undefined omits the header. */
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export const replyText = (body: string, parts: ReplyParts = {}): string => {
  const { status = 200, headers = {} } = parts;
  const contentType = 'contentType' in parts ? parts.contentType : 'text/html;charset=utf-8';
  const all = {
    ...(contentType !== undefined && { 'content-type': contentType }),
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  return `HTTP/1.1 ${status} Scripted\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`; // prettier-ignore
};

export const reply =
  (body: string | ((request: ReceivedRequest) => string), parts?: ReplyParts): PeerAnswer =>
  (socket, request) =>
    void socket.write(replyText(typeof body === 'string' ? body : body(request), parts));

export const raw =
  (bytes: string | Uint8Array): PeerAnswer =>
  (socket) =>
    void socket.write(bytes);

export const silence = (): PeerAnswer => () => undefined;

export const redirect = (location: string, status = 302): PeerAnswer => reply('', { status, headers: { location } });

export const twice =
  (answer: PeerAnswer): PeerAnswer =>
  (socket, request) => {
    answer(socket, request);
    answer(socket, request);
  };

/** Node cannot reset TLS sockets, so those just close. */
export const resetSocket = (socket: Socket): void => void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy());

export const reset = (): PeerAnswer => resetSocket;

export const close = (): PeerAnswer => (socket) => void socket.end();

export const cutShort =
  (bytes: string, end: 'closed' | 'reset' = 'closed'): PeerAnswer =>
  (socket) =>
    void socket.write(bytes, () => (end === 'reset' ? resetSocket(socket) : socket.end()));

export const drip =
  (pieces: Iterable<string>): PeerAnswer =>
  (socket) => {
    const left = pieces[Symbol.iterator]();
    const next = (): void => {
      const piece = left.next();
      if (piece.done === true || socket.destroyed) return;
      socket.write(piece.value, () => setImmediate(next));
    };
    next();
  };

export const endlessly = function* (first: string, piece: string): Iterable<string> {
  yield first;
  for (;;) yield piece;
};

export const malformedStatusLine = (): PeerAnswer => raw('HTTP/9.9 OK maybe\r\n\r\n');

export const hugeBody = (bytes: number): PeerAnswer => reply('x'.repeat(bytes));

export const hugeHeaders = (bytes: number): PeerAnswer => reply('', { headers: { 'x-large': 'x'.repeat(bytes) } });

export interface HeldAnswer extends PeerAnswer {
  release(): void;
}

export const held = (answer: PeerAnswer): HeldAnswer => {
  const waiting: (() => void)[] = [];
  let isReleased = false;
  const hold: PeerAnswer = (socket, request) => {
    const go = (): void => answer(socket, request);
    if (isReleased) go();
    else waiting.push(go);
  };
  return Object.assign(hold, {
    release: (): void => {
      isReleased = true;
      for (const go of waiting.splice(0)) go();
    },
  });
};
