import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { askOperatorPort } from './operator-port';

describe('the operator port as the command line asks it', () => {
  it('reports that the outcome is unknown where the service accepts the action and does not answer', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: operatorPort } = server.address() as AddressInfo;
    const sockets = new Set<{ destroy(): void }>();
    server.on('connection', (socket) => sockets.add(socket));
    await expect(askOperatorPort({ operatorHost: '127.0.0.1', operatorPort }, 'token', '/orders/x/resolution', {}, 50)).rejects.toThrow(
      'not known whether it was done',
    );
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
    await expect(askOperatorPort({ operatorHost: '127.0.0.1', operatorPort }, 'token', '/orders/x/resolution', {})).rejects.toThrow(
      'no service answers',
    );
  });
});
