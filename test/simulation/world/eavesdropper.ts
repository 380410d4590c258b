import { parseFormAnswer } from '@app/gateway-protocol';
import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import type { KeyedChance } from './keyed-chance';
import { ConnectionLost, type Network } from './network';
import { requestV4, type RequestV4 } from './request-v4';

export interface EavesdropperSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly login: string;
  readonly endpointId: string;
}

const OVERHEARD = 1;
const REPLAYS = 5;
/** Within the validity of a signature. */
const GAP_MS_MAX = 45_000;
const DENIED = 403;
/** Codes that mean: nothing was done, send the same again. */
const NOT_DONE: ReadonlySet<string | undefined> = new Set(['20', '21', '99']);

export class Eavesdropper {
  readonly served = new Map<string, number>();

  constructor(private readonly settings: EavesdropperSettings) {}

  begin(withinMs: number): void {
    const { time, chance } = this.settings;
    for (let number = 0; number < OVERHEARD; number++)
      time.after(chance.between(0, withinMs, 'eavesdropper.begins', String(number)), () => void this.#replay(`nonce-of-request-${number}`));
  }

  async #replay(nonce: string): Promise<void> {
    const { time, chance, login, endpointId } = this.settings;
    const fields = [['client_orderid', `${login}-0`], ['login', login]] as const; // prettier-ignore
    const overheard = requestV4({ operation: 'status', endpointId, login, fields, nonce, now: time.now() });
    for (let sent = 0; sent <= REPLAYS; sent++) {
      if (await this.#isServed(overheard)) this.served.set(nonce, (this.served.get(nonce) ?? 0) + 1);
      await sleep(time, chance.between(1, GAP_MS_MAX, 'eavesdropper.gap-ms', nonce));
    }
  }

  async #isServed({ path, options }: RequestV4): Promise<boolean> {
    try {
      const answer = await this.settings.network.request(path, options);
      return answer.status !== DENIED && !NOT_DONE.has(Object.fromEntries(parseFormAnswer(answer.body))['error-code']);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return false;
    }
  }
}
