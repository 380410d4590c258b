import net, { type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { closeLast, closeOpened, listening, merchant, ok, opened, post, rawMerchant, until } from './testing/egress-world';

afterEach(async () => {
  await closeOpened();
  jest.restoreAllMocks();
});

describe('a failing call', () => {
  it.each([
    ['sends nothing', (_socket: Socket) => undefined],
    ['sends half a status line', (socket: Socket) => socket.write('HTTP/1.1 20')],
    ['sends headers for ever', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nA: b\r\n')],
    ['drips its body', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    ['drips its chunks', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n')],
    ['only ever continues', (socket: Socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(3))],
  ])('times out if the merchant %s, closes the socket, and does not resend', async (_case, talk) => {
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

  it('times out if no name server responds', async () => {
    const { egress, passAll } = opened({ resolveName: () => new Promise(() => undefined) });
    const outcome = egress.send(post('https://m.example/'));
    passAll();
    expect(await outcome).toEqual({ kind: 'timed-out' });
  });

  it.each([
    ['a body with its length', { 'content-length': '65537' }],
    ['a body in chunks', {}],
  ])('rejects %s over 64 KiB', async (_case, headers) => {
    const { port } = await merchant((_message, response) => response.writeHead(200, headers).end('x'.repeat(65_537)));
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({ kind: 'answer-too-large' });
  });

  it('stops reading an endless body', async () => {
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

  it('applies the size limit to each response of a socket separately', async () => {
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

  it.each([
    ['a page over the limit', (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`)],
    ['a body that never comes', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n')],
    ['a body that is cut', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    ['a body that is malformed', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n')],
    ['headers over the limit', (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(60_000)}\r\n\r\n`)],
    ['headers without an end', (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`)],
    ['headers that are cut', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nA: b\r\n')],
    ['headers that are malformed', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n\0: b\r\n\r\n')],
    ['an interim answer', (socket: Socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
  ])('returns the status if the caller needs only that, despite %s', async (_case, talk) => {
    const { port } = await rawMerchant(talk);
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`, { needs: 'status' }))).toEqual({ kind: 'answered', status: 200 });
  });

  it('closes the socket of an endless body soon after the status if the caller needs only the status', async () => {
    const closings: Promise<unknown>[] = [];
    const { port } = await rawMerchant((socket) => {
      closings.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
    });
    const { egress, passAll } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`, { needs: 'status' }))).toEqual({ kind: 'answered', status: 200 });
    passAll();
    await Promise.all(closings);
    expect(closings).toHaveLength(1);
  });

  it('reuses the socket after the rest of a status-only response is read', async () => {
    const listener = await merchant((_message, response) => response.end('x'.repeat(60_000)));
    const { egress, waiting } = opened();
    for (let call = 0; call < 3; call++) {
      await egress.send(post(`http://127.0.0.1:${listener.port}/`, { needs: 'status' }));
      await until(() => waiting.size === 0);
      // The client reuses the socket in the tick after the answer's end.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([listener.requests.length, listener.connections]).toStrictEqual([3, 1]);
  });

  it('does not decode an encoded body', async () => {
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
  ])('rejects more than 8 KiB of headers: %s', async (_case, talk) => {
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
  ])('reports the outcome of %s', async (_case, bytes, expected) => {
    const { port } = await rawMerchant((socket) => socket.write(bytes));
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toMatchObject(expected);
  });

  it('reports a lost connection', async () => {
    const { port } = await rawMerchant((socket) => socket.resetAndDestroy());
    const { egress } = opened();
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({
      kind: 'connection-failed',
      code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/),
    });
  });

  it('reports a closed port and a name without an address', async () => {
    const { port } = await merchant(ok);
    await closeLast();
    const { egress } = opened({ resolveName: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })) });
    expect(await egress.send(post(`http://127.0.0.1:${port}/`))).toEqual({ kind: 'connection-failed', code: 'ECONNREFUSED' });
    expect(await egress.send(post('https://m.example/'))).toEqual({ kind: 'connection-failed', code: 'ENOTFOUND' });
    const { egress: nameless } = opened({ resolveName: () => Promise.resolve([]) });
    expect(await nameless.send(post('https://m.example/'))).toEqual({ kind: 'connection-failed', code: 'NAME_NOT_RESOLVED' });
  });

  it('refuses to send a header that contains a line break', async () => {
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
