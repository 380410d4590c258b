import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { encodeForm, parseFormAnswer, signedAuthorization } from '@app/gateway-protocol';
import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import { SANDBOX_PRIVATE_KEY_FILE } from '../../support/merchants/oauth-merchant';
import type { KeyedChance } from './keyed-chance';
import { ConnectionLost, PUBLIC_ORIGIN, type Network } from './network';

export interface EavesdropperSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  /** Of the merchant whose requests are overheard. */
  readonly login: string;
  readonly endpointId: string;
}

const OVERHEARD = 3;
const REPLAYS = 5;
/** All within the time for which a signature is good. */
const GAP_MS_MAX = 45_000;
const DENIED = 403;
/** Codes that say: nothing was done, send the same again. */
const NOT_DONE: ReadonlySet<string | undefined> = new Set(['20', '21', '99']);

const privateKey = createPrivateKey(readFileSync(SANDBOX_PRIVATE_KEY_FILE));

/** Overhears signed requests of a merchant and sends them again as they were, to any instance, also after its process was started anew. */
export class Eavesdropper {
  /** By nonce: how often a request with it was served. */
  readonly served = new Map<string, number>();

  constructor(private readonly settings: EavesdropperSettings) {}

  begin(withinMs: number): void {
    const { time, chance } = this.settings;
    for (let number = 0; number < OVERHEARD; number++)
      time.after(chance.between(0, withinMs, 'eavesdropper.begins', String(number)), () => void this.#replay(`nonce-of-request-${number}`));
  }

  async #replay(nonce: string): Promise<void> {
    const { time, chance, login, endpointId } = this.settings;
    const path = `/paynet/api/v4/status/${endpointId}`;
    const fields: [string, string][] = [['client_orderid', `${login}-0`], ['login', login]]; // prettier-ignore
    const target = { method: 'POST', url: PUBLIC_ORIGIN + path, parameters: fields };
    const authorization = signedAuthorization(target, { consumerKey: login, privateKey, nonce, now: time.now() });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    for (let sent = 0; sent <= REPLAYS; sent++) {
      if (await this.#isServed(path, headers, encodeForm(fields))) this.served.set(nonce, (this.served.get(nonce) ?? 0) + 1);
      await sleep(time, chance.between(1, GAP_MS_MAX, 'eavesdropper.gap-ms', nonce));
    }
  }

  async #isServed(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<boolean> {
    try {
      const answer = await this.settings.network.request(path, { method: 'POST', headers, body });
      return answer.status !== DENIED && !NOT_DONE.has(Object.fromEntries(parseFormAnswer(answer.body))['error-code']);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return false;
    }
  }
}
