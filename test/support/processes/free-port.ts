import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range for outgoing connections, one of which could take the port while a service restarts. */
const PORT_MIN = 15_000;
const WORKERS_MAX = 8;
const PORTS_OF_WORKER = 2_000;
const TRIES_MAX = 100;

/** A range per test worker, so that no worker takes a port whose owner is restarting. */
const WORKER = Number(process.env['JEST_WORKER_ID'] ?? '0') % WORKERS_MAX;
const FIRST = PORT_MIN + WORKER * PORTS_OF_WORKER;
const given = new Set<number>();

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
};

/** Never returns the same port twice. Another process may still take it first, so the caller must retry. */
export const freePort = async (): Promise<number> => {
  for (let round = 0; round < TRIES_MAX; round++) {
    const port = FIRST + randomInt(PORTS_OF_WORKER);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port in ${TRIES_MAX} tries`);
};
