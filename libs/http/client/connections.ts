import type { Connection } from './connection';

export interface ConnectionUser {
  /** @returns false if no longer needed; the connection then goes to the next user */
  use(connection: Connection): boolean;
}

/** Keep-alive connections to one origin, one call each at a time, with a limited first-in, first-out queue. */
export class Connections {
  readonly #all = new Set<Connection>();
  /** Last in, first out, so that surplus connections time out. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<ConnectionUser>();

  constructor(
    private readonly make: () => Connection,
    private readonly limits: { readonly connectionsMax: number; readonly waitingMax: number },
  ) {}

  get inUse(): number {
    return this.#all.size - this.#idle.length;
  }

  /** @returns false at once if the queue is full */
  request(user: ConnectionUser): boolean {
    const idle = this.#idle.pop();
    const connection = idle === undefined ? this.#another() : this.#lasting(idle);
    if (connection !== undefined) {
      if (!user.use(connection)) this.#idle.push(connection);
      return true;
    }
    if (this.#waiting.size >= this.limits.waitingMax) return false;
    this.#waiting.add(user);
    return true;
  }

  withdraw(user: ConnectionUser): void {
    this.#waiting.delete(user);
  }

  release(used: Connection): void {
    const connection = this.#waiting.size === 0 ? used : this.#lasting(used);
    for (const user of this.#waiting) {
      this.#waiting.delete(user);
      if (user.use(connection)) return;
    }
    this.#idle.push(connection);
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((connection) => connection.destroy()));
  }

  #lasting(connection: Connection): Connection {
    if (!connection.isWornOut) return connection;
    this.#all.delete(connection);
    void connection.destroy();
    return this.#made();
  }

  #another(): Connection | undefined {
    return this.#all.size >= this.limits.connectionsMax ? undefined : this.#made();
  }

  #made(): Connection {
    const connection = this.make();
    this.#all.add(connection);
    return connection;
  }
}
