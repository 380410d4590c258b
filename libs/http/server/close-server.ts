import type { Server } from 'node:http';

const LOOK_AGAIN_MS = 20;

/**
 * Ends a server although clients keep their connections busy: `Server.close` alone waits until they lose interest. Nothing new is let in, what is under
 * way is answered and its connection closed with it, and what is left after the limit is cut off (safety, F39).
 */
export const closeServer = (server: Server, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    // Behind the reading of what has come in: a request that waits to be read is none that may be cut off.
    const idle = setInterval(() => setImmediate(() => server.closeIdleConnections()), LOOK_AGAIN_MS);
    const late = setTimeout(() => server.closeAllConnections(), limitMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });
