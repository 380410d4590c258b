import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { parseUrl, systemMonotonic, systemScheduler } from '@app/kernel';
import { ipRange } from '@app/configuration';
import type { CallbackTarget } from '@app/orders/events';
import { seededIds, seededRandom, VirtualClock } from '@app/testing';
import { checkUrlAtAcceptance, egressPolicyOf, openEgress, type Egress, type EgressPolicy } from '@app/http/client';
import { deliveryCodec, deliveryKey, deliveryStream } from './delivery.codec';
import { hostileAddress, type HostileAddress } from '../testing/hostile-addresses';
import { factsOf, merchantsNamed, notifiedOrder } from '../testing/notified-orders';
import { DeliverCallbackReactor } from './deliver-callback.reactor';

/** For a full run: `HOSTILE_ADDRESSES=10000`. */
const ADDRESSES = Number(process.env['HOSTILE_ADDRESSES'] ?? '200');
const SEED = Number(process.env['HOSTILE_SEED'] ?? '20260');
const TARGETS: readonly CallbackTarget[] = ['callback', 'notify'];
const OUTSIDE = '127.9.9.9';

interface Listening {
  readonly port: number;
  connections: number;
}

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const listen = async (server: Server, host: string, port = 0): Promise<Listening> => {
  const sockets = new Set<Socket>();
  const state = { port: 0, connections: 0 };
  server.on('connection', (socket: Socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  state.port = (server.address() as AddressInfo).port;
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return state;
};

const answering = (status: number, location = ''): Server =>
  createHttpServer((_request, response) => response.writeHead(status, location === '' ? {} : { location }).end('ok'));

let inner: readonly Listening[];
let port: number;

beforeAll(async () => {
  const v4 = await listen(
    createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    '127.0.0.1',
  );
  port = v4.port;
  // Without IPv6 there is nothing to reach.
  const v6 = await listen(
    createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    '::1',
    port,
  ).catch(() => undefined);
  inner = v6 === undefined ? [v4] : [v4, v6];
});

const connectionsInside = (): number => inner.reduce((sum, { connections }) => sum + connections, 0);
const policyWith = (...allow: readonly string[]): EgressPolicy =>
  egressPolicyOf({ allow: allow.map(ipRange), ports: new Set([port]), plainHttp: true }, false);
const opened = (policy: EgressPolicy, resolveName: (name: string) => readonly string[]): Egress => {
  const egress = openEgress({
    policy,
    monotonic: systemMonotonic,
    scheduler: systemScheduler,
    resolveName: (name) => Promise.resolve(resolveName(name)),
  });
  closers.push(() => egress.close());
  return { ...egress, send: (request) => egress.send({ deadlineMs: 2_000, ...request }) };
};

const tried = async (egress: Egress, url: string, target: CallbackTarget, number: number): Promise<object | undefined> => {
  const sample = notifiedOrder(number, 'acme');
  const order = { ...sample, fact: { ...sample.fact, url } };
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const reactor = new DeliverCallbackReactor({
    store,
    facts: factsOf([order]),
    merchants: merchantsNamed('acme'),
    egress,
    clock,
    ids: seededIds(),
    random: seededRandom(),
    speedFactor: 1,
  });
  const { factId, stream } = order;
  const key = deliveryKey(factId, target);
  await reactor.on({ key, stream, task: target, dueAt: clock.now(), merchant: order.fact.merchant, lane: 'acme' });
  for await (const stored of store.read(deliveryStream(factId, target))) return deliveryCodec.decode(stored);
  return undefined;
};

const samples = (): readonly HostileAddress[] => fc.sample(hostileAddress(port), { numRuns: ADDRESSES, seed: SEED });

describe(`${ADDRESSES} callback addresses that lead to internal hosts (safety, B15; HOSTILE_SEED ${SEED})`, () => {
  it('never receive a connection for callback or notify, and each attempt fails with refused-target', async () => {
    const addresses = samples();
    const kinds = new Set(addresses.map(({ kind }) => kind));
    expect(kinds.size).toBe(5);
    const answers = new Map(addresses.map(({ url, answers: names = [] }) => [parseUrl(url)?.hostname.replace(/\.$/, '') ?? '', names]));
    const egress = opened(policyWith(), (name) => answers.get(name.replace(/\.$/, '')) ?? []);
    const before = connectionsInside();
    const wrong: object[] = [];
    for (const [index, { kind, url, answers: names }] of addresses.entries()) {
      const atAcceptance = checkUrlAtAcceptance(url, policyWith());
      // A name is resolved when it is called, never when a payment is accepted.
      if (names === undefined && atAcceptance.kind === 'ok') wrong.push({ kind, url, atAcceptance: 'ok' });
      for (const target of TARGETS) {
        const event = await tried(egress, url, target, index);
        const { cause } = (event as { readonly data: { readonly failure?: { readonly cause: string } } }).data.failure ?? {};
        if (cause !== 'refused-target') wrong.push({ kind, url, names, target, event });
      }
    }
    expect(wrong).toStrictEqual([]);
    expect(connectionsInside()).toBe(before);
  }, 300_000);

  it('receive connections if the configuration allows every range, which proves that the test above can fail', async () => {
    const egress = opened(policyWith('0.0.0.0/0', '::/0'), () => ['127.0.0.1']);
    const before = connectionsInside();
    for (const [index, url] of ['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'shop.example'].entries()) {
      await tried(egress, `http://${url}:${port}/`, 'callback', index);
    }
    // The first three are one origin and may share a connection.
    expect(connectionsInside() - before).toBeGreaterThanOrEqual(4);
  });
});

describe('a name or redirect that changes the target after the check (safety, B15 and F44)', () => {
  it('connects to the checked address if the name resolves differently afterwards [W341]', async () => {
    const outside = await listen(answering(200), OUTSIDE);
    const before = connectionsInside();
    for (let round = 0; round < 20; round++) {
      let asked = 0;
      const rebinding = opened(
        egressPolicyOf({ allow: [ipRange(OUTSIDE)], ports: new Set([outside.port]), plainHttp: true }, false),
        () => {
          asked += 1;
          return asked === 1 ? [OUTSIDE] : ['127.0.0.1'];
        },
      );
      const event = await tried(rebinding, `http://rebind${round}.example:${outside.port}/`, 'callback', round);
      expect([event, asked]).toMatchObject([{ type: 'CallbackDelivered' }, 1]);
    }
    expect(outside.connections).toBe(20);
    expect(connectionsInside()).toBe(before);
  });

  it('refuses a name that now resolves to an internal address or has one among its addresses', async () => {
    const before = connectionsInside();
    const egress = opened(policyWith(OUTSIDE), (name) => (name.startsWith('mixed') ? [OUTSIDE, '127.0.0.1'] : ['127.0.0.1']));
    for (const name of ['changed.example', 'mixed.example']) {
      for (const target of TARGETS) {
        await expect(tried(egress, `http://${name}:${port}/`, target, 1)).resolves.toMatchObject({
          type: 'CallbackFailed',
          data: { failure: { cause: 'refused-target', reason: 'loopback' } },
        });
      }
    }
    expect(connectionsInside()).toBe(before);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect to an internal address: %i [W335]', async (status) => {
    const before = connectionsInside();
    const outside = await listen(answering(status, `http://127.0.0.1:${port}/secret`), OUTSIDE);
    const egress = opened(egressPolicyOf({ allow: [ipRange(OUTSIDE)], ports: new Set([outside.port]), plainHttp: true }, false), () => [
      OUTSIDE,
    ]);
    for (const target of TARGETS) {
      await expect(tried(egress, `http://shop.example:${outside.port}/`, target, status)).resolves.toMatchObject({
        type: 'CallbackFailed',
        data: { failure: { cause: 'answered', status } },
      });
    }
    expect(outside.connections).toBeGreaterThan(0);
    expect(connectionsInside()).toBe(before);
  });
});
