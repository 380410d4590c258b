import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressRefused, listenAt } from './listening';

const appOf = (server: Server) => ({
  listen: (port: number | string, host?: unknown) =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(Number(port), String(host), () => resolve(server));
    }),
});

it('names the setting if the port is taken or the host is not an address of this machine', async () => {
  const taken = createServer();
  await listenAt(appOf(taken), { setting: 'PORT', port: 0, host: '127.0.0.1' });
  const { port } = taken.address() as AddressInfo;
  const again = listenAt(appOf(createServer()), { setting: 'OPERATOR_PORT', port, host: '127.0.0.1' });
  await expect(again).rejects.toThrow(
    `OPERATOR_PORT: 127.0.0.1:${port} is taken by another program (EADDRINUSE): set it to a free port, or to 0 for any`,
  );
  await expect(again).rejects.toBeInstanceOf(AddressRefused);
  await new Promise((closed) => taken.close(closed));
  await expect(listenAt(appOf(createServer()), { setting: 'PORT', port: 0, host: '192.0.2.1' })).rejects.toThrow(
    'PORT: 192.0.2.1:0 cannot be opened',
  );
});

it('rethrows an unknown error unchanged', async () => {
  const bug = new Error('a bug');
  await expect(listenAt({ listen: () => Promise.reject(bug) }, { setting: 'PORT', port: 1, host: 'x' })).rejects.toBe(bug);
});
