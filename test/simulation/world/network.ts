import type { VirtualClock } from '@app/testing';
import type { HttpAnswer, PublicSide, RequestOptions } from '../../support/http/http-client';
import type { KeyedChance } from './keyed-chance';
import type { Life } from './life';
import type { WireAnswer, WireRequest } from './wire';

/** The client's own limit; the service answers within 15 s. */
const CLIENT_LIMIT_MS = 35_000;
const SLOW_MS_MAX = 40_000;
export const PUBLIC_ORIGIN = 'https://pay.world.example';

/** The client does not know whether its request had an effect. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export interface NetworkFaults {
  readonly requestLost: number;
  readonly answerLost: number;
  /** The client's library sends it a second time while the first is in flight. */
  readonly doubled: number;
  readonly slow: number;
}

export const HEALTHY_NETWORK: NetworkFaults = { requestLost: 0, answerLost: 0, doubled: 0, slow: 0 };

export interface Serving {
  readonly life: Life;
  request(wire: WireRequest): Promise<WireAnswer>;
}

interface NetworkSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly faults: () => NetworkFaults;
  readonly serving: (origin: string) => readonly Serving[];
}

export class Network implements PublicSide {
  constructor(private readonly settings: NetworkSettings) {}

  send(url: string, options?: RequestOptions): Promise<HttpAnswer> {
    const { origin } = new URL(url);
    return this.#ask(origin, url.slice(origin.length), options);
  }

  /**
   * To the orchestrator.
   * @throws ConnectionLost
   */
  request(path: string, options?: RequestOptions): Promise<HttpAnswer> {
    return this.#ask(PUBLIC_ORIGIN, path, options);
  }

  async #ask(origin: string, path: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    const { chance, faults, time } = this.settings;
    const { requestLost, answerLost, doubled, slow } = faults();
    await this.#wait(chance.between(1, 30, 'network.ms', path));
    if (chance.happens(requestLost, 'network.request-lost', path)) return this.#lost(CLIENT_LIMIT_MS);
    if (chance.happens(doubled, 'network.doubled', path)) this.#serve(origin, path, options).catch(() => undefined);
    const slowMs = chance.happens(slow, 'network.slow', path) ? chance.between(0, SLOW_MS_MAX, 'network.slow-ms', path) : 0;
    const served = this.#serve(origin, path, options).then(async (answer) => {
      if (slowMs > 0) await this.#wait(slowMs);
      return answer;
    });
    if (chance.happens(answerLost, 'network.answer-lost', path)) {
      served.catch(() => undefined);
      return this.#lost(chance.between(1, CLIENT_LIMIT_MS, 'network.lost-ms', path));
    }
    return new Promise((resolve, reject) => {
      const late = time.after(CLIENT_LIMIT_MS, () => reject(new ConnectionLost('no answer in time')));
      served.finally(() => late.cancel()).then(resolve, reject);
    });
  }

  #serve(origin: string, path: string, { method = 'GET', headers, body }: RequestOptions): Promise<HttpAnswer> {
    const process = this.#instanceFor(origin, path);
    if (process === undefined) return this.#lost(0);
    return new Promise((resolve, reject) => {
      process.life.onEnd(() => reject(new ConnectionLost('the instance ended')));
      const wire = {
        method,
        path,
        headers: (headers ?? {}) as Readonly<Record<string, string>>,
        body: typeof body === 'string' ? body : '',
      };
      process.request(wire).then(resolve, reject);
    });
  }

  #instanceFor(origin: string, path: string): Serving | undefined {
    const serving = this.settings.serving(origin).filter(({ life }) => !life.hasEnded);
    return serving.length === 0 ? undefined : this.settings.chance.pick(serving, 'network.instance', path);
  }

  async #lost(afterMs: number): Promise<never> {
    await this.#wait(afterMs);
    throw new ConnectionLost('the connection was lost');
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.settings.time.after(ms, resolve));
  }
}
