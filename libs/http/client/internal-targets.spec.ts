import net from 'node:net';
import { closeOpened, LOOPBACK_SHUT, merchant, ok, opened, post } from './testing/egress-world';

afterEach(async () => {
  await closeOpened();
  jest.restoreAllMocks();
});

describe('an internal target', () => {
  it.each([
    [['127.0.0.1']], [['::1']], [['10.0.0.1']], [['169.254.169.254']], [['::ffff:127.0.0.1']], [['64:ff9b::7f00:1']], [['2002:7f00:1::']], [['fd00::1']], [['100.64.0.1']],
    [['0.0.0.0']], [['::']], [['fe80::1']], [['224.0.0.1']], [['255.255.255.255']], [['8.8.8.8', '127.0.0.1']], [['127.0.0.1', '8.8.8.8']], [['not an address']],
    [['fe80::1%eth0']], [['0x7f.1']],
  ])('is refused without a connection for a name with the addresses %j', async (addresses) => {
    const { port, ...listener } = await merchant(ok);
    const connect = jest.spyOn(net.Socket.prototype, 'connect');
    const { egress } = opened({ policy: LOOPBACK_SHUT, resolveName: () => Promise.resolve(addresses) });
    expect(await egress.send(post(`http://m.example:${port}/`))).toMatchObject({ kind: 'refused-target' });
    expect(connect).not.toHaveBeenCalled();
    expect(listener.connections).toBe(0);
  }); // prettier-ignore

  it('is connected to if the configuration allows it, which proves that the previous test can fail', async () => {
    const listener = await merchant(ok);
    const connect = jest.spyOn(net.Socket.prototype, 'connect');
    const { egress } = opened();
    expect(await egress.send(post(`http://m.example:${listener.port}/`))).toMatchObject({ kind: 'answered' });
    expect(connect).toHaveBeenCalledTimes(1);
    expect(listener.connections).toBe(1);
  });

  it('is refused for a name with more than 64 addresses', async () => {
    const { egress } = opened({ resolveName: () => Promise.resolve(Array(65).fill('127.0.0.1')) });
    expect(await egress.send(post('http://m.example:8080/'))).toEqual({ kind: 'refused-target', reason: 'too-many-addresses' });
  });

  it('is refused without name resolution for an IP literal or localhost', async () => {
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

  it('is connected to for localhost at the allowed loopback address, without name resolution', async () => {
    const { port } = await merchant(ok);
    const resolveName = jest.fn(() => Promise.resolve(['8.8.8.8']));
    const { egress } = opened({ resolveName });
    expect(await egress.send(post(`http://localhost:${port}/`))).toMatchObject({ kind: 'answered', status: 200 });
    expect(resolveName).not.toHaveBeenCalled();
  });

  it('is refused on reconnection if the name now resolves to it', async () => {
    const listener = await merchant((_message, response) => response.setHeader('connection', 'close').end());
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const resolveName = jest.fn(() => Promise.resolve(answers.shift() ?? []));
    const { egress } = opened({ resolveName });
    const url = `http://rebinding.example:${listener.port}/`;
    expect(await egress.send(post(url))).toMatchObject({ kind: 'answered' });
    expect(resolveName).toHaveBeenCalledTimes(1); // once for check and connection
    expect(await egress.send(post(url))).toEqual({ kind: 'refused-target', reason: 'loopback' });
    expect(listener.connections).toBe(1);
  });

  it('is refused for its port, scheme or user information before name resolution', async () => {
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
