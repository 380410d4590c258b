import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { RUN_POSTGRES, startOwnPostgres, type Postgres } from '../../../libs/databases/testing';

const CONNECTIONS_MAX = 400;

/**
 * One PostgreSQL per test run, started on first use; each test file gets separate databases.
 * @returns a function that stops it
 */
export const offerPostgres = async (): Promise<() => Promise<void>> => {
  let starting: Promise<Postgres> | undefined;
  const server = createServer((_request, response) => {
    // A kept connection could be closed here in the moment in which it is used again.
    response.setHeader('connection', 'close');
    starting ??= startOwnPostgres('-c', `max_connections=${CONNECTIONS_MAX}`);
    starting.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[RUN_POSTGRES] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    server.close();
    const started = await starting?.catch(() => undefined);
    await started?.stop();
  };
};
