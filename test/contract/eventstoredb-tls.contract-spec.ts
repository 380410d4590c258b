import { StoreUnavailable } from '@app/event-store';
import { EventStoreDbEventStore } from '@app/event-store/stores/eventstoredb';
import { newEvents } from '@app/event-store/testing';
import { systemScheduler } from '@app/kernel';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { selfSigned } from '../support/processes/self-signed';

const PASSWORD = 'hunter2:ä@/%';
const EXPECTED = `Basic ${Buffer.from(`payments:${PASSWORD}`).toString('base64')}`;
const GUEST = `Basic ${Buffer.from('guest:hunter2').toString('base64')}`;
const UNAUTHENTICATED = '16';
const PERMISSION_DENIED = '7';

const folder = mkdtempSync(join(tmpdir(), 'eventstoredb-tls-'));
const server = selfSigned('a server');
const client = selfSigned('payments');
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const caFile = file('ca.pem', server.certificate);
const foreignCaFile = file('foreign.pem', selfSigned('another').certificate);
const userCertFile = file('user.pem', client.certificate);
const userKeyFile = file('user.key', client.key);

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly leaderOnly: string | undefined;
  readonly certificateOf: string | undefined;
}
const asked: Asked[] = [];
let secure: Http2SecureServer;
let port = 0;

beforeAll(async () => {
  secure = createSecureServer({
    key: server.key,
    cert: server.certificate,
    requestCert: true,
    ca: client.certificate,
    rejectUnauthorized: false,
  });
  secure.on('stream', (stream, headers) => {
    const socket = stream.session?.socket as TLSSocket | undefined;
    const call: Asked = {
      path: headers[':path'],
      authorization: headers.authorization,
      leaderOnly: headers['requires-leader'] as string | undefined,
      certificateOf: socket?.authorized === true ? String(socket.getPeerCertificate().subject.CN) : undefined,
    };
    asked.push(call);
    const isGuest = call.authorization === GUEST;
    const isKnown = isGuest || call.authorization === EXPECTED || call.certificateOf === 'payments';
    const isForbidden = isGuest || call.path?.endsWith('/Append') === true;
    const trailers = isKnown
      ? isForbidden
        ? { 'grpc-status': PERMISSION_DENIED, 'grpc-message': 'Access Denied', exception: 'access-denied' }
        : { 'grpc-status': '0' }
      : { 'grpc-status': UNAUTHENTICATED, 'grpc-message': 'Unauthenticated' };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
    stream.resume();
  });
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  ({ port } = secure.address() as AddressInfo);
});
afterEach(() => asked.splice(0));
afterAll(() => {
  secure.close();
  rmSync(folder, { recursive: true });
});

const user = `payments:${encodeURIComponent(PASSWORD)}@`;
const open = (userInfo: string, options: string): Promise<EventStoreDbEventStore> =>
  EventStoreDbEventStore.open({ url: `esdb://${userInfo}127.0.0.1:${port}${options}`, scheduler: systemScheduler, limitMs: 2_000 });
const refusal = async (userInfo: string, options: string): Promise<unknown> => {
  const startedAt = performance.now();
  const error = await open(userInfo, options).catch((refused: unknown) => refused);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(String(error)).not.toContain('hunter2');
  return error;
};
const unavailable = (fault: string): StoreUnavailable => new StoreUnavailable(`event store 127.0.0.1:${port}: ${fault}`);

describe('EventStoreDB over TLS', () => {
  it("receives the user's credentials and the leader requirement with every call", async () => {
    const store = await open(user, `?tlsCAFile=${caFile}`);
    await expect(store.append('order-1' as never, 'no_stream', newEvents('a'))).rejects.toThrow('this user lacks a permission');
    await store.close();
    expect(asked.map(({ path }) => path?.split('/').at(-1))).toStrictEqual(['Read', 'Append']);
    expect(asked.every(({ authorization, leaderOnly }) => authorization === EXPECTED && leaderOnly === 'true')).toBe(true);
  });

  it('authenticates a user by certificate', async () => {
    const store = await open('', `?tlsCAFile=${caFile}&userCertFile=${userCertFile}&userKeyFile=${userKeyFile}`);
    await store.close();
    expect(asked).toStrictEqual([expect.objectContaining({ authorization: undefined, certificateOf: 'payments' })]);
  });

  it('reports a wrong password immediately in one line', async () => {
    await expect(refusal('payments:hunter2wrong@', `?tlsCAFile=${caFile}`)).resolves.toStrictEqual(
      unavailable('the user name or password is wrong'),
    );
    expect(asked).toHaveLength(1);
  });

  it('reports a user without read access to the log immediately in one line', async () => {
    await expect(refusal('guest:hunter2@', `?tlsCAFile=${caFile}`)).resolves.toStrictEqual(
      unavailable('this user lacks a permission (the service also needs to read $all)'),
    );
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['without the certificate of its authority', ''],
    ['with that of another', `?tlsCAFile=${foreignCaFile}`],
  ])('reports an untrusted certificate immediately: %s', async (_, options) => {
    await expect(refusal(user, options)).resolves.toStrictEqual(
      unavailable('its certificate is not trusted: set tlsCAFile to its authority’s certificate'),
    );
    expect(asked).toStrictEqual([]);
  });

  it('reports a client that connects without TLS', async () => {
    await expect(refusal(user, '?tls=false')).resolves.toStrictEqual(
      unavailable('the server does not answer like EventStoreDB: the port is wrong, or the server uses TLS although tls=false is set'),
    );
    expect(asked).toStrictEqual([]);
  });

  it('reports a malformed certificate file', async () => {
    const error = await refusal(user, `?tlsCAFile=${file('none.pem', 'nothing')}`);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).not.toContain('\n');
  });
});
