import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign to outgoing connections, one of which could be used while a service restarts. */
const PORT_MIN = 15_000;
const WORKERS_MAX = 8;
const PORTS_OF_WORKER = 2_000;
const TRIES_MAX = 100;

/** Each worker of the test runner has a range of its own, so that none uses a port whose owner is down for a moment. */
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

/** A port of 127.0.0.1 that no process listens on, never the same twice. Another process may be faster, so the caller must be ready to ask again. */
export const freePort = async (): Promise<number> => {
  for (let round = 0; round < TRIES_MAX; round++) {
    const port = FIRST + randomInt(PORTS_OF_WORKER);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port in ${TRIES_MAX} tries`);
};
