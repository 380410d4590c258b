import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const HOST = '127.0.0.1';

export class Balancer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #ports: number[] = [];
  #next = 0;

  private constructor() {
    this.#server = createServer((near) => {
      this.#held(near);
      this.#carry(near, this.#ports.length);
    });
  }

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    balancer.#server.listen(0, HOST);
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  leadTo(port: number): void {
    this.#ports.push(port);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(near: Socket, triesLeft: number): void {
    const port = this.#ports[this.#next++ % this.#ports.length];
    if (port === undefined || triesLeft === 0) {
      near.resetAndDestroy();
      return;
    }
    const far = this.#held(connect(port, HOST));
    let isCarried = false;
    far.once('connect', () => {
      isCarried = true;
      near.pipe(far).pipe(near);
    });
    far.once('close', () => {
      if (isCarried) near.destroySoon();
      else this.#carry(near, triesLeft - 1);
    });
    near.once('close', () => far.destroy());
  }

  #held(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
