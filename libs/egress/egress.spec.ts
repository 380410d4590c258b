import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Scheduler } from '@app/kernel';
import { ipRange } from '@app/configuration';
import { openEgress, type Egress, type EgressOptions, type EgressRequest } from './egress';
import { egressPolicyOf } from './targets/policy';

/** The clock stops until a test lets every waiting deadline pass. */
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

interface Listening {
  readonly port: number;
  readonly requests: { readonly message: IncomingMessage; readonly body: string }[];
  connections: number;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  jest.restoreAllMocks();
});

const listening = async (server: net.Server, requests: Listening['requests'] = []): Promise<Listening> => {
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

const merchant = async (answer: RequestListener): Promise<Listening> => {
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

/** Answers every connection with bytes as they are. */
const rawMerchant = (talk: (socket: Socket) => void): Promise<Listening> =>
  listening(net.createServer((socket) => socket.once('data', () => talk(socket))));

const LOOPBACK_OPEN = egressPolicyOf({ allow: [ipRange('127.0.0.1')], ports: new Set(), plainHttp: true }, false);
const LOOPBACK_SHUT = egressPolicyOf({ allow: [], ports: new Set(), plainHttp: true }, false);

const opened = (options: Partial<EgressOptions> = {}) => {
  const time = stoppedTime();
  const egress: Egress = openEgress({
    policy: LOOPBACK_OPEN,
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

const post = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  method: 'POST',
  url,
  source: 'configuration',
  headers: { 'content-type': 'application/json' },
  body: '{"status":"approved"}',
  ...more,
});
const ok: RequestListener = (_message, response) => response.end('OK');
const until = async (isSo: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 100_000 && !isSo(); turn++) await new Promise((resolve) => setImmediate(resolve));
  if (!isSo()) throw new Error('it never became so');
};

describe('a call', () => {
  it('carries the given request, and the name as Host', async () => {
    const { port, requests } = await merchant(ok);
    const { egress } = opened();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'd-1',
      'Accept-Encoding': 'gzip',
      host: 'other',
      connection: 'close',
    };
    const outcome = await egress.send(post(`http://callbacks.merchant.example:${port}/cb?a=1#part`, { headers }));
    expect(outcome).toEqual({ kind: 'answered', status: 200, body: 'OK' });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toBe('{"status":"approved"}');
    expect(requests[0]?.message).toMatchObject({ method: 'POST', url: '/cb?a=1' });
    expect(requests[0]?.message.headers).toEqual({
      host: `callbacks.merchant.example:${port}`,
      connection: 'keep-alive',
      'user-agent': 'payment-orchestrator',
      'content-type': 'application/json',
      'webhook-id': 'd-1',
      'accept-encoding': 'identity',
      'content-length': '21',
    });
  });

  it('can be a GET without a body', async () => {
    const { port, requests } = await merchant(ok);
    const { egress } = opened();
    const request: EgressRequest = {
      method: 'GET',
      url: `http://127.0.0.1:${port}/cb?status=approved`,
      source: 'configuration',
      headers: {},
    };
    expect(await egress.send(request)).toEqual({ kind: 'answered', status: 200, body: 'OK' });
    expect(requests[0]?.message).toMatchObject({ method: 'GET', url: '/cb?status=approved' });
  });

  it('appends a query to the address’s own, and holds the address alone to its length', async () => {
    const { port, requests } = await merchant(ok);
    const { egress } = opened();
    const query = `status=approved&merchantdata=${'x'.repeat(6_000)}`;
    for (const [path, shown] of [
      ['/cb', `/cb?${query}`],
      ['/cb?', `/cb?${query}`],
      ['/cb?a=1&b=%20#part', `/cb?a=1&b=%20&${query}`],
    ] as const) {
      const request: EgressRequest = { method: 'GET', url: `http://127.0.0.1:${port}${path}`, query, source: 'configuration', headers: {} };
      expect(await egress.send(request)).toEqual({ kind: 'answered', status: 200, body: 'OK' });
      expect(requests.at(-1)?.message.url).toBe(shown);
    }
  });

  it('reuses a socket without another name look-up', async () => {
    const listener = await merchant(ok);
    const resolveName = jest.fn(() => Promise.resolve(['127.0.0.1']));
    const { egress } = opened({ resolveName });
    for (let call = 0; call < 20; call++) await egress.send(post(`http://m.example:${listener.port}/`));
    expect(listener.requests).toHaveLength(20);
    // The client may open one more while the first is between two calls.
    expect(listener.connections).toBeLessThanOrEqual(2);
    expect(resolveName.mock.calls.length).toBe(listener.connections);
  });

  it('returns every status, and follows no redirect', async () => {
    const other = await merchant(ok);
    const { egress } = opened();
    for (const status of [301, 302, 303, 307, 308]) {
      const { port } = await merchant((_message, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${other.port}/` }).end(),
      );
      expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({ kind: 'answered', status, body: '' });
    }
    expect(other.connections).toBe(0);
  });

  it('ignores a proxy that the environment names', async () => {
    const [proxy, target] = [await merchant(ok), await merchant(ok)];
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      const { egress } = opened();
      expect(await egress.send(post(`http://m.example:${target.port}/`))).toMatchObject({ kind: 'answered', status: 200 });
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    expect([proxy.connections, target.connections]).toEqual([0, 1]);
  });

  it('tries the next address where one does not answer', async () => {
    const { port } = await merchant(ok);
    const policy = egressPolicyOf({ allow: [ipRange('127.0.0.0/8')], ports: new Set(), plainHttp: true }, false);
    const { egress } = opened({ policy, resolveName: () => Promise.resolve(['127.0.0.9', '127.0.0.1']) });
    expect(await egress.send(post(`http://m.example:${port}/`))).toMatchObject({ kind: 'answered', status: 200 });
  });
});

describe('an internal target', () => {
  it.each([
    [['127.0.0.1']], [['::1']], [['10.0.0.1']], [['169.254.169.254']], [['::ffff:127.0.0.1']], [['64:ff9b::7f00:1']], [['2002:7f00:1::']], [['fd00::1']], [['100.64.0.1']],
    [['0.0.0.0']], [['::']], [['fe80::1']], [['224.0.0.1']], [['255.255.255.255']], [['8.8.8.8', '127.0.0.1']], [['127.0.0.1', '8.8.8.8']], [['not an address']],
    [['fe80::1%eth0']], [['0x7f.1']],
  ])('is never connected to: a name with %j', async (addresses) => {
    const { port, ...listener } = await merchant(ok);
    const connect = jest.spyOn(net.Socket.prototype, 'connect');
    const { egress } = opened({ policy: LOOPBACK_SHUT, resolveName: () => Promise.resolve(addresses) });
    expect(await egress.send(post(`http://m.example:${port}/`))).toMatchObject({ kind: 'refused-target' });
    expect(connect).not.toHaveBeenCalled();
    expect(listener.connections).toBe(0);
  }); // prettier-ignore

  it('is reached once the configuration opens it, so that the test above can fail', async () => {
    const listener = await merchant(ok);
    const connect = jest.spyOn(net.Socket.prototype, 'connect');
    const { egress } = opened();
    expect(await egress.send(post(`http://m.example:${listener.port}/`))).toMatchObject({ kind: 'answered' });
    expect(connect).toHaveBeenCalledTimes(1);
    expect(listener.connections).toBe(1);
  });

  it('is refused for a name of more than 64 addresses', async () => {
    const { egress } = opened({ resolveName: () => Promise.resolve(Array(65).fill('127.0.0.1')) });
    expect(await egress.send(post('http://m.example:8080/'))).toEqual({ kind: 'refused-target', reason: 'too-many-addresses' });
  });

  it('is refused as a literal and as localhost, without a look-up', async () => {
    const { port } = await merchant(ok);
    const connect = jest.spyOn(net.Socket.prototype, 'connect');
    const resolveName = jest.fn(() => Promise.resolve(['8.8.8.8']));
    const { egress } = opened({ policy: LOOPBACK_SHUT, resolveName });
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:7f00:1]',
      'localhost',
      'localhost.',
      'x.localhost',
      '①②⑦.0.0.1',
    ]) {
      expect([host, await egress.send(post(`http://${host}:${port}/`))]).toEqual([host, { kind: 'refused-target', reason: 'loopback' }]);
    }
    expect(resolveName).not.toHaveBeenCalled();
    expect(connect).not.toHaveBeenCalled();
  });

  it('resolves localhost to the loopback address that is open, without a look-up', async () => {
    const { port } = await merchant(ok);
    const resolveName = jest.fn(() => Promise.resolve(['8.8.8.8']));
    const { egress } = opened({ resolveName });
    expect(await egress.send(post(`http://localhost:${port}/`))).toMatchObject({ kind: 'answered', status: 200 });
    expect(resolveName).not.toHaveBeenCalled();
  });

  it('is refused at the next connection where a name resolves to it by then', async () => {
    const listener = await merchant((_message, response) => response.setHeader('connection', 'close').end());
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const resolveName = jest.fn(() => Promise.resolve(answers.shift() ?? []));
    const { egress } = opened({ resolveName });
    const url = `http://rebinding.example:${listener.port}/`;
    expect(await egress.send(post(url))).toMatchObject({ kind: 'answered' });
    expect(resolveName).toHaveBeenCalledTimes(1); // once for check and connection together
    expect(await egress.send(post(url))).toEqual({ kind: 'refused-target', reason: 'loopback' });
    expect(listener.connections).toBe(1);
  });

  it('is refused by port, scheme and user before any look-up', async () => {
    const resolveName = jest.fn(() => Promise.resolve(['8.8.8.8']));
    const { egress } = opened({ resolveName });
    const outcomes = await Promise.all(
      ['https://m.example:22/', 'ftp://m.example/', 'https://u:p@m.example/', 'x'].map((url) =>
        egress.send(post(url, { source: 'request' })),
      ),
    );
    expect(outcomes.map((outcome) => (outcome.kind === 'refused-target' ? outcome.reason : outcome.kind))).toEqual([
      'port',
      'scheme',
      'userinfo',
      'malformed',
    ]);
    expect(resolveName).not.toHaveBeenCalled();
  });
});

describe('a call that goes wrong', () => {
  it.each([
    ['sends nothing', (_socket: Socket) => undefined],
    ['sends half a status line', (socket: Socket) => socket.write('HTTP/1.1 20')],
    ['sends headers for ever', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nA: b\r\n')],
    ['drips its body', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    ['drips its chunks', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n')],
    ['only ever continues', (socket: Socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(3))],
  ])('ends at its deadline where the merchant %s, closes the socket, and sends nothing again', async (_case, talk) => {
    const sent: string[] = [];
    const closings: Promise<unknown>[] = [];
    const { port } = await listening(
      net.createServer((socket) => {
        socket.on('data', (chunk) => sent.push(chunk.toString()));
        socket.once('data', () => {
          closings.push(new Promise((resolve) => socket.once('close', resolve)));
          talk(socket);
        });
      }),
    );
    const { egress, passAll } = opened();
    const outcome = egress.send(post(`http://127.0.0.1:${port}/`));
    await until(() => closings.length > 0);
    passAll();
    expect(await outcome).toEqual({ kind: 'timed-out' });
    await Promise.all(closings);
    await egress.close();
    expect(sent.join('').match(/POST/g)).toHaveLength(1);
  });

  it('ends at its deadline where no name server answers', async () => {
    const { egress, passAll } = opened({ resolveName: () => new Promise(() => undefined) });
    const outcome = egress.send(post('https://m.example/'));
    passAll();
    expect(await outcome).toEqual({ kind: 'timed-out' });
  });

  it.each([
    ['a body with its length', { 'content-length': '65537' }],
    ['a body in chunks', {}],
  ])('stops reading %s over 64 KiB', async (_case, headers) => {
    const { port } = await merchant((_message, response) => response.writeHead(200, headers).end('x'.repeat(65_537)));
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({ kind: 'answer-too-large' });
  });

  it('stops reading a body without an end', async () => {
    const { port } = await rawMerchant((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({ kind: 'answer-too-large' });
  });

  it('limits each answer of a socket separately', async () => {
    const listener = await merchant((_message, response) => response.end('x'.repeat(65_536)));
    const { egress } = opened();
    for (let call = 0; call < 4; call++) {
      expect(await egress.send(post(`http://127.0.0.1:${listener.port}/`))).toEqual({
        kind: 'answered',
        status: 200,
        body: 'x'.repeat(65_536),
      });
    }
    expect(listener.requests).toHaveLength(4);
  });

  it('never decodes an encoded body', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const { port, requests } = await merchant((_message, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const { egress } = opened();
    expect(bomb.length).toBeLessThan(65_536);
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({ kind: 'answered', status: 200 });
    expect(requests[0]?.message.headers['accept-encoding']).toBe('identity');
  });

  it.each([
    ['one header over the limit', (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(9_000)}\r\n\r\n`)],
    ['headers without an end', (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`)],
  ])('accepts no more than 8 KiB of headers: %s', async (_case, talk) => {
    const { port } = await rawMerchant(talk);
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({ kind: 'answer-too-large' });
  });

  it.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH\r\n', { kind: 'answer-malformed' }],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na', { kind: 'answer-malformed' }],
    [
      'a switch of protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      { kind: 'connection-failed' },
    ],
  ])('returns the outcome of %s', async (_case, bytes, expected) => {
    const { port } = await rawMerchant((socket) => socket.write(bytes));
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toMatchObject(expected);
  });

  it('returns that a connection was lost', async () => {
    const { port } = await rawMerchant((socket) => socket.resetAndDestroy());
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({
      kind: 'connection-failed',
      code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/),
    });
  });

  it('returns that nothing listens, and that a name has no address', async () => {
    const { port } = await merchant(ok);
    await closers.pop()?.();
    const { egress } = opened({ resolveName: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })) });
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({ kind: 'connection-failed', code: 'ECONNREFUSED' });
    expect(await egress.send(post('https://m.example/'))).toEqual({ kind: 'connection-failed', code: 'ENOTFOUND' });
    const { egress: nameless } = opened({ resolveName: () => Promise.resolve([]) });
    expect(await nameless.send(post('https://m.example/'))).toEqual({ kind: 'connection-failed', code: 'NAME_NOT_RESOLVED' });
  });

  it('sends no request that a header would split', async () => {
    const listener = await merchant(ok);
    const { egress } = opened();
    const headers = { 'webhook-id': 'a\r\nX-Evil: b' };
    expect(await egress.send(post(`http://127.0.0.1:${listener.port}/`, { headers }))).toEqual({
      kind: 'not-sent',
      cause: 'malformed-request',
    });
    expect(listener.requests).toHaveLength(0);
  });
});

describe('limits', () => {
  it('let an origin that hangs use up its own share and no other’s', async () => {
    const hanging = await merchant(() => undefined);
    const healthy = await merchant(ok);
    const { egress, passAll } = opened();
    const url = `http://hanging.example:${hanging.port}/`;
    const open = Array.from({ length: 64 }, () => egress.send(post(url)));
    await until(() => hanging.requests.length === 64);
    expect(await egress.send(post(url))).toEqual({ kind: 'not-sent', cause: 'overloaded' });
    expect(await egress.send(post(`http://healthy.example:${healthy.port}/`))).toMatchObject({ kind: 'answered', status: 200 });
    passAll();
    expect(new Set((await Promise.all(open)).map(({ kind }) => kind))).toEqual(new Set(['timed-out']));
    const again = egress.send(post(url));
    await until(() => hanging.requests.length === 65);
    passAll();
    expect(await again).toEqual({ kind: 'timed-out' });
  });

  it('leave no deadline running after a call has ended', async () => {
    const { port } = await merchant(ok);
    const { egress, waiting } = opened();
    await egress.send(post(`http://127.0.0.1:${port}/`));
    await egress.send(post('http://10.0.0.1/'));
    expect(waiting.size).toBe(0);
  });

  it('look up a name once for calls at the same moment', async () => {
    const { port } = await merchant(ok);
    const resolveName = jest.fn(() => Promise.resolve(['127.0.0.1']));
    const { egress } = opened({ resolveName });
    const outcomes = await Promise.all(Array.from({ length: 32 }, () => egress.send(post(`http://m.example:${port}/`))));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['answered']));
    expect(resolveName).toHaveBeenCalledTimes(1);
  });
});

it('closes when the calls under way have ended, and sends nothing more', async () => {
  let answerNow: (() => void) | undefined;
  const listener = await merchant((_message, response) => {
    answerNow = () => response.end('late');
  });
  const { egress } = opened();
  const url = `http://127.0.0.1:${listener.port}/`;
  const underWay = egress.send(post(url));
  await until(() => answerNow !== undefined);
  const closed = egress.close();
  expect(await egress.send(post(url))).toEqual({ kind: 'not-sent', cause: 'closed' });
  answerNow?.();
  expect(await underWay).toEqual({ kind: 'answered', status: 200, body: 'late' });
  await closed;
  expect(listener.requests).toHaveLength(1);
});
