import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { close, cutShort, drip, endlessly, held, hugeBody, redirect, reply, reset, silence, twice } from './answers';
import { refusedBaseUrl, ScriptedPeer } from './scripted-peer';

const sockets: Socket[] = [];
let peer: ScriptedPeer;
beforeEach(async () => {
  peer = await ScriptedPeer.start();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await peer.close();
});

/** What came over one connection until it ended: `end`, or the code of its failure. */
const talk = (...writes: readonly string[]) => {
  const socket = connect(peer.port, '127.0.0.1');
  sockets.push(socket);
  const got: Buffer[] = [];
  const ended = new Promise<string>((resolve) => {
    socket.on('data', (piece: Buffer) => got.push(piece));
    socket.once('end', () => resolve('end'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
  for (const text of writes) socket.write(text);
  return { socket, ended, text: () => Buffer.concat(got).toString() };
};
const request = (path: string, body = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Key: a: b\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const lastAnswer = close();

describe('a scripted peer', () => {
  it('notes requests as they came, in whatever pieces, and answers them in the order of its script', async () => {
    peer.answers(
      reply('one'),
      reply(({ body }) => `two ${body}`, { status: 201, contentType: 'text/plain' }),
      lastAnswer,
    );
    const [first, second, third] = [request('/1'), request('/2', 'body'), request('/3')];
    const { ended, text } = talk(first + second.slice(0, -2), second.slice(-2) + third);
    expect(await peer.received(3)).toMatchObject({ path: '/3' });
    expect(await ended).toBe('end');
    expect(peer.requests.map(({ method, path, body }) => [method, path, body])).toStrictEqual([
      ['POST', '/1', ''],
      ['POST', '/2', 'body'],
      ['POST', '/3', ''],
    ]);
    expect(peer.requests[1]?.headers.get('x-key')).toBe('a: b');
    expect(text()).toBe(
      'HTTP/1.1 200 Scripted\r\ncontent-type: text/html;charset=utf-8\r\ncontent-length: 3\r\n\r\none' +
        'HTTP/1.1 201 Scripted\r\ncontent-type: text/plain\r\ncontent-length: 8\r\n\r\ntwo body',
    );
    expect([peer.begun, peer.connections]).toStrictEqual([3, 1]);
  });

  it('answers 500 where nothing is scripted, or as it is told for such requests', async () => {
    talk(request('/1'));
    await peer.received();
    peer.otherwise(redirect('/elsewhere'));
    const { socket, text } = talk(request('/2'));
    await new Promise((resolve) => socket.once('data', resolve));
    expect(text()).toMatch(/^HTTP\/1.1 302 Scripted\r\n.*location: \/elsewhere\r\n/s);
  });

  it('counts a request of which not all came', async () => {
    talk('POST /half HTTP/1.1\r\n');
    await peer.until(() => peer.connections === 1);
    peer.breaks({ afterBytes: 3 });
    const { ended } = talk('POST /broken HTTP/1.1\r\n');
    expect(await ended).toBe('ECONNRESET');
    expect(peer.requests).toHaveLength(0);
    expect(peer.begun).toBeGreaterThanOrEqual(1);
  });

  it('resets, closes and cuts short', async () => {
    peer.answers(reset(), close(), cutShort('HTTP/1.1 2'));
    expect(await talk(request('/1')).ended).toBe('ECONNRESET');
    expect(await talk(request('/2')).ended).toBe('end');
    const { ended, text } = talk(request('/3'));
    expect([await ended, text()]).toStrictEqual(['end', 'HTTP/1.1 2']);
  });

  it('answers twice, in drops, and with as much as is asked for', async () => {
    peer.answers(
      twice((socket) => void socket.write('x')),
      drip(['a', 'b', 'c']),
      hugeBody(100_000),
      lastAnswer,
    );
    const { ended, text } = talk(request('/1'));
    await peer.received();
    const { socket } = talk(request('/2'));
    let drops = '';
    socket.on('data', (piece) => (drops += String(piece)));
    await new Promise<void>((resolve) => socket.on('data', () => drops === 'abc' && resolve()));
    const huge = talk(request('/3') + request('/4'));
    await huge.ended;
    expect(huge.text()).toContain('x'.repeat(100_000));
    expect(text()).toBe('xx');
    peer.hangUp();
    expect(await ended).toBe('end');
  });

  it('drips until the other side goes', async () => {
    peer.answers(drip(endlessly('first', 'more')));
    const { socket } = talk(request('/1'));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await peer.until(() => peer.openConnections === 0);
    expect(peer.requests).toHaveLength(1);
  });

  it('holds an answer until it is released', async () => {
    const late = held(lastAnswer);
    peer.answers(late, silence());
    const { ended, text } = talk(request('/1'));
    await peer.received();
    expect(text()).toBe('');
    late.release();
    expect(await ended).toBe('end');
  });

  it('shows a certificate for its name, new each time', async () => {
    const secure = await ScriptedPeer.start({ tlsName: 'gate.example' });
    const code = (servername: string, ca = secure.authority): Promise<string | undefined> =>
      new Promise((resolve) => {
        const socket = connectTls({ port: secure.port, host: '127.0.0.1', servername, ...(ca !== undefined && { ca }) });
        sockets.push(socket);
        socket.once('secureConnect', () => resolve(undefined));
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      });
    try {
      expect(secure.baseUrl).toBe(`https://127.0.0.1:${secure.port}`);
      expect(await code('gate.example')).toBeUndefined();
      expect(await code('other.example')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
      const other = await ScriptedPeer.start({ tlsName: 'gate.example' });
      await other.close();
      expect(await code('gate.example', other.authority)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    } finally {
      await secure.close();
    }
  });

  it('that is closed refuses', async () => {
    const { port } = new URL(await refusedBaseUrl());
    const socket = connect(Number(port), '127.0.0.1');
    expect(await new Promise((resolve) => socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code)))).toBe(
      'ECONNREFUSED',
    );
  });
});
