import { ipRange } from '@app/configuration';
import { settle } from '@app/testing';
import type { EgressRequest } from './egress';
import { egressPolicyOf } from './target';
import { closeOpened, merchant, ok, opened, post, until } from './testing/egress-world';

afterEach(async () => {
  await closeOpened();
  jest.restoreAllMocks();
});

describe('an egress call', () => {
  it("sends the given request with the URL's name as Host", async () => {
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

  it('appends a query to the address, whose maximum length excludes the query [W328]', async () => {
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

  it('reuses a socket without resolving the name again', async () => {
    const listener = await merchant(ok);
    const resolveName = jest.fn(() => Promise.resolve(['127.0.0.1']));
    const { egress } = opened({ resolveName });
    for (let call = 0; call < 20; call++) await egress.send(post(`http://m.example:${listener.port}/`));
    expect(listener.requests).toHaveLength(20);
    // The client may open one more while the first is between two calls.
    expect(listener.connections).toBeLessThanOrEqual(2);
    expect(resolveName.mock.calls.length).toBe(listener.connections);
  });

  it('returns every status without following redirects [W335]', async () => {
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

  it('ignores a proxy set in the environment', async () => {
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

  it('tries the next address if one does not respond', async () => {
    const { port } = await merchant(ok);
    const policy = egressPolicyOf({ allow: [ipRange('127.0.0.0/8')], ports: new Set(), plainHttp: true }, false);
    const { egress } = opened({ policy, resolveName: () => Promise.resolve(['127.0.0.9', '127.0.0.1']) });
    expect(await egress.send(post(`http://m.example:${port}/`))).toMatchObject({ kind: 'answered', status: 200 });
  });
});

describe('egress limits', () => {
  it('let a hanging origin exhaust only its own share', async () => {
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
    // A slot is free only after its socket has closed, which takes a few ticks.
    await settle(10);
    const again = egress.send(post(url));
    await until(() => hanging.requests.length === 65);
    passAll();
    expect(await again).toEqual({ kind: 'timed-out' });
  });

  it('apply per origin and in total, as configured', async () => {
    const { port } = await merchant(() => undefined);
    const { egress, passAll } = opened({ limits: { perOriginMax: 2, inAllMax: 3 } });
    const outcomes = ['a', 'a', 'a', 'b', 'b'].map((name) => egress.send(post(`http://${name}.example:${port}/`)));
    passAll();
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['timed-out', 'timed-out', 'not-sent', 'timed-out', 'not-sent']);
  });

  it('allow 2,048 concurrent calls in total', async () => {
    const { port } = await merchant(() => undefined);
    const { egress, passAll } = opened({ resolveName: () => new Promise(() => undefined) });
    const outcomes = Array.from({ length: 2_049 }, (_, index) => egress.send(post(`http://m${index % 33}.example:${port}/`)));
    expect(await outcomes.at(-1)).toEqual({ kind: 'not-sent', cause: 'overloaded' });
    passAll();
    expect(new Set((await Promise.all(outcomes.slice(0, -1))).map(({ kind }) => kind))).toEqual(new Set(['timed-out']));
  });

  it('leave no deadline timer running after a call ends', async () => {
    const { port } = await merchant(ok);
    const { egress, waiting } = opened();
    await egress.send(post(`http://127.0.0.1:${port}/`));
    await egress.send(post('http://10.0.0.1/'));
    expect(waiting.size).toBe(0);
  });

  it('resolve a name once for simultaneous calls', async () => {
    const { port } = await merchant(ok);
    const resolveName = jest.fn(() => Promise.resolve(['127.0.0.1']));
    const { egress } = opened({ resolveName });
    const outcomes = await Promise.all(Array.from({ length: 32 }, () => egress.send(post(`http://m.example:${port}/`))));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['answered']));
    expect(resolveName).toHaveBeenCalledTimes(1);
  });
});

it('an egress refuses new calls while closing, and closes after the open calls end', async () => {
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
