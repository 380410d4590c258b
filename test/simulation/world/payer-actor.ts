import { formOf } from '../../support/merchants/payer';
import type { KeyedChance } from './keyed-chance';
import { ConnectionLost, type Network } from './network';

export interface PayerActorSettings {
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly leaves: () => number;
}

export class PayerActor {
  constructor(private readonly settings: PayerActorSettings) {}

  async acts(clientOrderId: string, way: string): Promise<boolean> {
    const { chance, network, leaves } = this.settings;
    if (chance.happens(leaves(), 'payer.leaves', clientOrderId)) return true;
    try {
      const page = await network.send(way);
      const back = page.status === 200 ? formOf(page.body)?.fields['TermUrl'] : undefined;
      if (back === undefined) return false;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const returned = await network.send(back, { method: 'POST', headers, body: 'PaRes=ok' });
      return returned.status === 200;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return false;
    }
  }
}
