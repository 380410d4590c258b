import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ReceivedRequest } from './request-reader';

/** What a peer does with one request that it has read: it writes to the socket of the request, or ends it, or does neither. */
export type PeerAnswer = (socket: Socket, request: ReceivedRequest) => void;

export interface ReplyParts {
  readonly status?: number;
  /** Default: text/html;charset=utf-8. Undefined leaves the header out. */
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A whole answer as it stands on the wire. */
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

/** Answers with this body, or with what is made of the request. */
export const reply =
  (body: string | ((request: ReceivedRequest) => string), parts?: ReplyParts): PeerAnswer =>
  (socket, request) =>
    void socket.write(replyText(typeof body === 'string' ? body : body(request), parts));

/** Any bytes; the connection stays open. */
export const raw =
  (bytes: string | Uint8Array): PeerAnswer =>
  (socket) =>
    void socket.write(bytes);

/** Never answers. */
export const silence = (): PeerAnswer => () => undefined;

export const redirect = (location: string, status = 302): PeerAnswer => reply('', { status, headers: { location } });

/** The same answer two times over for one request. */
export const twice =
  (answer: PeerAnswer): PeerAnswer =>
  (socket, request) => {
    answer(socket, request);
    answer(socket, request);
  };

/** A reset; under TLS, where Node has none, the connection ends without a word. */
export const resetSocket = (socket: Socket): void => void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy());

/** No answer; the connection is reset. */
export const reset = (): PeerAnswer => resetSocket;

/** No answer; the connection is closed in order. */
export const close = (): PeerAnswer => (socket) => void socket.end();

/** The first part of an answer; then the connection ends, in order or by a reset. */
export const cutShort =
  (bytes: string, end: 'closed' | 'reset' = 'closed'): PeerAnswer =>
  (socket) =>
    void socket.write(bytes, () => (end === 'reset' ? resetSocket(socket) : socket.end()));

/** Each piece in a turn of its own of the event loop, for as long as there are pieces and the other side listens. */
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

/** Pieces that never end, each the same. */
export const endlessly = function* (first: string, piece: string): Iterable<string> {
  yield first;
  for (;;) yield piece;
};

export const malformedStatusLine = (): PeerAnswer => raw('HTTP/9.9 OK maybe\r\n\r\n');

export const hugeBody = (bytes: number): PeerAnswer => reply('x'.repeat(bytes));

export const hugeHeaders = (bytes: number): PeerAnswer => reply('', { headers: { 'x-large': 'x'.repeat(bytes) } });

/** An answer that a test lets go. */
export interface HeldAnswer extends PeerAnswer {
  /** Answers the requests that wait and those that are yet to come. */
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
