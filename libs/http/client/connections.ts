import type { Connection } from './connection';

/** A call that wants a connection. */
export interface ConnectionUser {
  /** @returns false where it needs none any more; the connection then goes to the next */
  use(connection: Connection): boolean;
}

/** Kept connections to one origin, one call each at a time, and the calls that wait for one, first come first served; both within limits. */
export class Connections {
  readonly #all = new Set<Connection>();
  /** The one used last is used next, so that those beyond need close by themselves. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<ConnectionUser>();

  constructor(
    private readonly make: () => Connection,
    private readonly limits: { readonly connectionsMax: number; readonly waitingMax: number },
  ) {}

  get inUse(): number {
    return this.#all.size - this.#idle.length;
  }

  /** @returns false at once where too many wait already */
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

  /** For a call that ended while it waited. */
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

  /** Resolves when every socket is closed. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((connection) => connection.destroy()));
  }

  /** This one, or another in place of one that is worn out. */
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
