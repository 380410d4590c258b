import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { KeyedChance } from './keyed-chance';
import { ConnectionLost, type Network } from './network';

export interface CardThiefSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly login: string;
  readonly controlKeys: () => readonly string[];
  readonly endpointId: string;
  readonly leaked: () => readonly string[];
}

const THEFTS = 3;
const TRIES = 4;
const GAP_MS = 2_000;

export class CardThief {
  readonly answers: Answer['fields'][] = [];

  constructor(private readonly settings: CardThiefSettings) {}

  begin(withinMs: number): void {
    const { time, chance } = this.settings;
    for (let theft = 0; theft < THEFTS; theft++)
      time.after(chance.between(0, withinMs, 'thief.begins', String(theft)), () => void this.#steal(`stolen-${theft}`));
  }

  async #steal(clientOrderId: string): Promise<void> {
    const [cardRefId] = this.settings.leaked();
    if (cardRefId === undefined) return;
    const order = { client_orderid: clientOrderId, amount: '1.00', redirect_url: undefined };
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        this.answers.push((await this.#merchant().rebill(cardRefId, order)).fields);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
      await sleep(this.settings.time, GAP_MS);
    }
  }

  #merchant(): Merchant {
    const { network, login, controlKeys, endpointId } = this.settings;
    const [controlKey = ''] = controlKeys();
    return new Merchant(network, { login, controlKey, at: endpointId, pathPrefix: '/paynet' });
  }
}
