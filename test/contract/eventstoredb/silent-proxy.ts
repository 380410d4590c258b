import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

export class SilentProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  connections = 0;

  private constructor(port: number) {
    this.#server = createServer((socket) => {
      const other = connect(port, '127.0.0.1');
      this.connections += 1;
      for (const each of [socket, other]) {
        this.#sockets.add(each);
        each.on('error', () => undefined);
      }
      socket.pipe(other);
      other.pipe(socket);
    });
  }

  static async to(port: number): Promise<SilentProxy> {
    const proxy = new SilentProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
