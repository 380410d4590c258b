import { StoreUnavailable } from '@app/event-store';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { closeAll, openAt, serve } from './wire-world';

jest.setTimeout(60_000);
afterEach(closeAll);

describe('opening the EventStoreDB adapter', () => {
  const failure = async (url: string): Promise<Error> => {
    const error = await openAt(url, { limitMs: 5_000 }).then(
      () => new Error('opened'),
      (refused: unknown) => refused as Error,
    );
    expect(error.message).not.toContain('hunter2');
    expect(error.message).not.toContain('\n');
    return error;
  };

  it('reports a closed port, an unknown host and a missing cluster in one line each', async () => {
    const server = await serve();
    const { port } = server.address;
    await server.kill();
    const refused = new StoreUnavailable(`event store 127.0.0.1:${port}: nothing listens there (connection refused)`);
    await expect(failure(`esdb://user:hunter2@127.0.0.1:${port}?tls=false`)).resolves.toStrictEqual(refused);
    const unknown = await failure('esdb://user:hunter2@no-such-host.invalid:2113?tls=false');
    expect(unknown).toStrictEqual(new StoreUnavailable('event store no-such-host.invalid:2113: its host name cannot be resolved'));
    const lost = await failure(`esdb+discover://user:hunter2@127.0.0.1:${port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=10`);
    expect(lost).toStrictEqual(new StoreUnavailable(`event store 127.0.0.1:${port}: no usable node of the cluster was found`));
  });

  it('reports a server without TLS immediately', async () => {
    const { port } = (await serve()).address;
    const startedAt = performance.now();
    const error = await openAt(`esdb://user:hunter2@127.0.0.1:${port}`, { limitMs: 20_000 }).catch((refused: unknown) => refused);
    expect(error).toStrictEqual(
      new StoreUnavailable(
        `event store 127.0.0.1:${port}: the server answers without TLS: add tls=false, or give the server a certificate`,
      ),
    );
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('reports a server that is not EventStoreDB', async () => {
    const other: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const error = await failure(`esdb://user:hunter2@127.0.0.1:${port}?tls=false`);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error.message).toMatch(new RegExp(`^event store 127.0.0.1:${port}: .+`));
    other.close();
  });

  it('is refused if DEBUG would make the client print its messages', async () => {
    const before = process.env.DEBUG;
    process.env.DEBUG = 'app,esdb:*';
    try {
      expect((await failure('esdb://user:hunter2@127.0.0.1?tls=false')).message).toContain('DEBUG names esdb');
    } finally {
      if (before === undefined) delete process.env.DEBUG;
      else process.env.DEBUG = before;
    }
  });
});
