import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { ipRange } from '@app/configuration';
import { systemMonotonic, type Scheduler } from '@app/kernel';
import { openEgress, type Egress, type EgressOptions, type EgressRequest } from '../egress';
import { egressPolicyOf } from '../target';

/** Time is stopped until a test fires every pending deadline. */
const stoppedTime = () => {
  const waiting = new Set<() => void>();
  const scheduler: Scheduler = {
    after: (_delayMs, run) => {
      waiting.add(run);
      return { cancel: () => waiting.delete(run) };
    },
  };
  const passAll = () => {
    for (const run of [...waiting]) {
      waiting.delete(run);
      run();
    }
  };
  return { scheduler, waiting, passAll };
};

export interface Listening {
  readonly port: number;
  readonly requests: { readonly message: IncomingMessage; readonly body: string }[];
  connections: number;
}

const closers: (() => Promise<unknown>)[] = [];
export const closeOpened = async (): Promise<void> => {
  for (const close of closers.splice(0).reverse()) await close();
};
export const closeLast = async (): Promise<void> => {
  await closers.pop()?.();
};

export const listening = async (server: net.Server, requests: Listening['requests'] = []): Promise<Listening> => {
  const sockets = new Set<Socket>();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: Listening = { port: (server.address() as AddressInfo).port, requests, connections: 0 };
  server.on('connection', (socket: Socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return state;
};

export const merchant = async (answer: RequestListener): Promise<Listening> => {
  const requests: Listening['requests'] = [];
  const server: Server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      requests.push({ message, body: Buffer.concat(chunks).toString() });
      answer(message, response);
    });
  });
  return listening(server, requests);
};

export const rawMerchant = (talk: (socket: Socket) => void): Promise<Listening> =>
  listening(net.createServer((socket) => socket.once('data', () => talk(socket))));

const LOOPBACK_OPEN = egressPolicyOf({ allow: [ipRange('127.0.0.1')], ports: new Set(), plainHttp: true }, false);
export const LOOPBACK_SHUT = egressPolicyOf({ allow: [], ports: new Set(), plainHttp: true }, false);

export const opened = (options: Partial<EgressOptions> = {}) => {
  const time = stoppedTime();
  const egress: Egress = openEgress({
    policy: LOOPBACK_OPEN,
    monotonic: systemMonotonic,
    scheduler: time.scheduler,
    resolveName: () => Promise.resolve(['127.0.0.1']),
    ...options,
  });
  closers.push(async () => {
    const closed = egress.close();
    time.passAll();
    await closed;
  });
  return { egress, ...time };
};

export const post = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  method: 'POST',
  url,
  source: 'configuration',
  headers: { 'content-type': 'application/json' },
  body: '{"status":"approved"}',
  ...more,
});
export const ok: RequestListener = (_message, response) => response.end('OK');
export const until = async (isSo: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 100_000 && !isSo(); turn++) await new Promise((resolve) => setImmediate(resolve));
  if (!isSo()) throw new Error('it never became so');
};
