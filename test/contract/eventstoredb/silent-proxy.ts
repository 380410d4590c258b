import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

const connected = ([one, other]: readonly [Socket, Socket]): void => {
  one.pipe(other);
  other.pipe(one);
};

export class SilentProxy {
  readonly #server: Server;
  readonly #pairs: (readonly [Socket, Socket])[] = [];
  #isHeld = false;
  connections = 0;

  private constructor(port: number) {
    this.#server = createServer((socket) => {
      const other = connect(port, '127.0.0.1');
      this.connections += 1;
      for (const each of [socket, other]) each.on('error', () => undefined);
      const pair = [socket, other] as const;
      this.#pairs.push(pair);
      if (!this.#isHeld) connected(pair);
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

  /** Silences the connections so far; new ones work. */
  silence(): void {
    for (const socket of this.#pairs.flat()) socket.unpipe().pause();
  }

  /** Like a server that is stopped with SIGSTOP: connections are accepted, and nothing on any is read or answered until `release`. */
  hold(): void {
    this.#isHeld = true;
    this.silence();
  }

  release(): void {
    this.#isHeld = false;
    for (const pair of this.#pairs) connected(pair);
  }

  close(): void {
    for (const socket of this.#pairs.flat()) socket.destroy();
    this.#server.close();
  }
}
