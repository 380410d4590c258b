import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  readonly url: string;
  /** `open` forwards; `closed` resets existing and new connections; `silent` accepts data and forwards nothing. */
  set(state: 'open' | 'closed' | 'silent'): void;
  close(): Promise<void>;
}

export const openRelay = async (serverUrl: string): Promise<Relay> => {
  const target = new URL(serverUrl);
  const [port, host] = [Number(target.port), target.hostname];
  const sockets = new Set<Socket>();
  let state: 'open' | 'closed' | 'silent' = 'open';
  const held = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    return socket;
  };
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const server = createServer((near) => {
    held(near);
    if (state === 'closed') {
      near.resetAndDestroy();
      return;
    }
    if (state === 'silent') return;
    const far = held(connect(port, host));
    near.on('data', (chunk) => state !== 'silent' && far.write(chunk));
    far.on('data', (chunk) => state !== 'silent' && near.write(chunk));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  target.hostname = '127.0.0.1';
  target.port = String((server.address() as AddressInfo).port);
  return {
    url: target.href,
    set: (next) => {
      state = next;
      if (next === 'closed') reset();
    },
    close: async () => {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
};
