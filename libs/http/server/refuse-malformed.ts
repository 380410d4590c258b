import { STATUS_CODES, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { newestExchangeOf } from './socket-limits';

/** How long what a sender still writes is taken in and dropped after its refusal. */
const LINGER_MS = 2_000;

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const BAD_REQUEST = 400;

const refused = Symbol('refused');
type Refused = Socket & { [refused]?: true };

const refusalOf = (code: string | undefined): string => {
  const status = STATUS_OF[code ?? ''] ?? BAD_REQUEST;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`;
};

/** A socket that is closed with bytes unread resets its peer, which then drops an answer that it has not read yet (RFC 9112, section 9.6). */
const linger = (socket: Socket, refusal: string): void => {
  const late = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(late));
  // Nothing of it reaches the parser again.
  socket.removeAllListeners('data').on('data', () => undefined);
  socket.once('end', () => socket.destroy());
  if (socket.writable) socket.end(refusal);
  socket.resume();
};

const refuse = (socket: Socket, refusal: string): void => {
  const newest = newestExchangeOf(socket);
  if (newest === undefined || newest.response.closed) linger(socket, refusal);
  // Malformed is what came behind this request, which was served and must not take the refusal for its answer.
  else if (newest.request.complete) newest.response.once('close', () => linger(socket, refusal));
  else if (newest.response.headersSent) newest.response.once('close', () => linger(socket, ''));
  else if (newest.isAlone) linger(socket, refusal);
  else socket.destroy();
};

const VERSIONS = new Set(['1.0', '1.1']);

/** Where it ends is not clear, or was to another server that it came through (RFC 9112, section 6.3). */
const isDoubtful = ({ httpVersion, headers: { 'transfer-encoding': coding } }: IncomingMessage): boolean =>
  !VERSIONS.has(httpVersion) || (coding !== undefined && coding.toLowerCase() !== 'chunked');

/** Serves no request whose end is in doubt, nor anything behind one: the parser hands some over before it finds what follows malformed. */
export const withoutDoubtful =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const socket: Refused = request.socket;
    if (socket[refused] === true) return;
    if (!isDoubtful(request)) {
      serve(request, response);
      return;
    }
    socket[refused] = true;
    response.writeHead(BAD_REQUEST, { Connection: 'close' });
    response.end();
  };

/**
 * Refuses what is no request of HTTP as the server itself would, 400, 408, 413 or 431 without a body, but so that its sender reads that also where it
 * still writes, and behind the answers that are still to come on its connection.
 */
export const refuseMalformed = (server: Server): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Refused) => {
    if (socket[refused] === true) return;
    socket[refused] = true;
    if (error.code === 'ECONNRESET' || socket.destroyed) socket.destroy();
    else refuse(socket, refusalOf(error.code));
  });
};
