import type { Connection } from './connection';

/** A call that wants a connection. */
export interface ConnectionUser {
  /** @returns false where it needs none any more; the connection then goes to the next */
  use(connection: Connection): boolean;
}

export interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly waitingMax: number;
}

/** Kept connections to one gate, one call each at a time, and the calls that wait for one, first come first served; both within limits. */
export class Connections {
  readonly #all = new Set<Connection>();
  /** The one used last is used next, so that those beyond need close by themselves. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<ConnectionUser>();

  constructor(
    private readonly make: () => Connection,
    private readonly limits: ConnectionLimits,
  ) {}

  /** @returns false at once where too many wait already */
  request(user: ConnectionUser): boolean {
    const connection = this.#idle.pop() ?? this.#another();
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

  release(connection: Connection): void {
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

  #another(): Connection | undefined {
    if (this.#all.size >= this.limits.connectionsMax) return undefined;
    const connection = this.make();
    this.#all.add(connection);
    return connection;
  }
}
