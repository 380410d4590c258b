import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { systemMonotonic, type Scheduler } from '@app/kernel';
import { ipRange } from '@app/configuration';
import { seededIds, seededRandom, VirtualClock } from '@app/testing';
import { egressPolicyOf, openEgress, type Egress } from '@app/http/client';
import { deliveryCodec, deliveryKey, deliveryStream } from './delivery.codec';
import type { DeliveryEvent } from '../domain/delivery';
import { factsOf, merchantsNamed, notifiedOrder } from '../testing/notified-orders';
import { DeliverCallbackReactor } from './deliver-callback.reactor';

type React = (request: IncomingMessage, response: ServerResponse) => void;

/** Deadlines end when the merchant's server has let them pass, not by a clock: a slow machine changes nothing. */
const deadlines = new Set<() => void>();
const scheduler: Scheduler = {
  after: (_, run) => {
    deadlines.add(run);
    return { cancel: () => void deadlines.delete(run) };
  },
};
const letDeadlinePass = (): void => deadlines.forEach((run) => run());

const heard: { path: string; id: string; type: string; body: string }[] = [];
const reactions: React[] = [];
let server: Server;
let egress: Egress;

const listener: React = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { 'webhook-id': id, 'content-type': type } = request.headers;
    heard.push({ path: request.url ?? '', id: String(id), type: String(type), body: Buffer.concat(chunks).toString() });
    (reactions.shift() ?? answer(500))(request, response);
  });
};
const answer =
  (status: number, headers: Record<string, string> = {}): React =>
  (_, response) =>
    response.writeHead(status, headers).end('heard');

beforeAll(async () => {
  server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const policy = egressPolicyOf({ allow: [ipRange('127.0.0.1')], ports: new Set(), plainHttp: false }, false);
  egress = openEgress({ policy, monotonic: systemMonotonic, scheduler });
});
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a callback over real sockets', () => {
  it('goes out until it is answered with 200, each time with the same id and bytes, and follows no redirect', async () => {
    reactions.push(
      (request) => request.socket.destroy(),
      answer(503),
      answer(302, { location: '/elsewhere' }),
      letDeadlinePass,
      (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('half', letDeadlinePass),
      answer(204),
      answer(200),
    );
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/callback?shop=7`;
    const order = notifiedOrder(1, 'acme');
    const { factId, stream, fact } = order;
    const clock = new VirtualClock();
    const store = new MemoryEventStore(clock);
    const reactor = new DeliverCallbackReactor({
      store,
      facts: factsOf([{ ...order, fact: { ...fact, url, source: 'configuration' } }]),
      merchants: merchantsNamed('acme'),
      egress,
      clock,
      ids: seededIds(),
      random: seededRandom(),
      speedFactor: 1,
    });
    const item = {
      key: deliveryKey(factId, 'callback'),
      stream,
      task: 'callback',
      dueAt: clock.now(),
      merchant: fact.merchant,
      lane: 'acme',
    };
    const triesInAll = reactions.length;
    for (let tries = 0; tries < triesInAll; tries++) {
      await reactor.on(item);
      clock.jump(86_400_000);
    }
    const events: DeliveryEvent[] = [];
    for await (const stored of store.read(deliveryStream(factId, 'callback'))) events.push(deliveryCodec.decode(stored));
    expect(events.map(({ type, data }) => ('failure' in data ? data.failure : type))).toMatchObject([
      { cause: 'connection-failed' },
      { cause: 'answered', status: 503 },
      { cause: 'answered', status: 302 },
      { cause: 'timed-out' },
      { cause: 'timed-out' },
      { cause: 'answered', status: 204 },
      'CallbackDelivered',
    ]);
    expect(heard).toHaveLength(triesInAll);
    expect(new Set(heard.map((call) => JSON.stringify(call))).size).toBe(1);
    expect(heard[0]).toMatchObject({ path: '/callback?shop=7', id: factId, type: 'application/json' });
  });
});
