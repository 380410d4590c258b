import { Pool, type buildConnector } from 'undici';

/** Origins whose sockets are kept; the one unused for longest makes room. */
const ORIGINS_MAX = 1_024;
/** Limits on calls under way: one origin that hangs uses up its own share and no more (safety, B18). */
export interface CallLimits {
  readonly perOriginMax: number;
  readonly inAllMax: number;
}

const CALL_LIMITS: CallLimits = { perOriginMax: 64, inAllMax: 2_048 };
const ANSWER_HEADER_BYTES_MAX = 8_192;
const ANSWER_BODY_BYTES_MAX = 65_536;
const IDLE_MS_MAX = 4_000;
/** Limits the idle time where the server promises to hold a socket for longer. */
const IDLE_PROMISED_MS_MAX = 60_000;
/** A socket is checked when it is made; after this a new one is made, and checked. */
const SOCKET_LIFE_MS_MAX = 300_000;

interface OriginPool {
  readonly pool: Pool;
  inFlight: number;
}

/** Allows one call at one origin until its only `release`. */
export interface CallSlot {
  readonly pool: Pool;
  release(): void;
}

/** Keep-alive sockets by origin, within limits. Never queues: a caller beyond the limits gets no slot at once. */
export class OriginPools {
  /** Ordered by use, the most recent last. */
  readonly #byOrigin = new Map<string, OriginPool>();
  readonly #connect: buildConnector.connector;
  readonly #limits: CallLimits;
  #inFlight = 0;

  constructor(connect: buildConnector.connector, limits = CALL_LIMITS) {
    this.#connect = connect;
    this.#limits = limits;
  }

  acquire(origin: string): CallSlot | undefined {
    const found = this.#byOrigin.get(origin);
    const { perOriginMax, inAllMax } = this.#limits;
    if (this.#inFlight >= inAllMax || (found !== undefined && found.inFlight >= perOriginMax)) return undefined;
    if (found === undefined && !this.#hasRoom()) return undefined;
    const entry = found ?? { pool: this.#open(origin), inFlight: 0 };
    this.#byOrigin.delete(origin);
    this.#byOrigin.set(origin, entry);
    entry.inFlight += 1;
    this.#inFlight += 1;
    const release = () => {
      entry.inFlight -= 1;
      this.#inFlight -= 1;
    };
    return { pool: entry.pool, release };
  }

  /** Resolves when every call under way has ended. */
  async close(): Promise<void> {
    await Promise.all([...this.#byOrigin.values()].map(({ pool }) => pool.close()));
    this.#byOrigin.clear();
  }

  #open(origin: string): Pool {
    return new Pool(origin, {
      connect: this.#connect,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_PROMISED_MS_MAX,
      clientTtl: SOCKET_LIFE_MS_MAX,
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
      maxResponseSize: ANSWER_BODY_BYTES_MAX,
      // The call as a whole has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  #hasRoom(): boolean {
    if (this.#byOrigin.size < ORIGINS_MAX) return true;
    for (const [origin, { pool, inFlight }] of this.#byOrigin) {
      if (inFlight > 0) continue;
      this.#byOrigin.delete(origin);
      void pool.close();
      return true;
    }
    return false;
  }
}
