import type { KeyRing } from '@app/card-vault';
import type { Products } from '@app/configuration';
import type { EventStore } from '@app/event-store';
import type { Clock, Ids, Random } from '@app/kernel';
import { MerchantServerEdge, merchantServerRouteOf, MountableMerchantServer } from '@app/merchant-server';
import type { Life } from './life';
import { AnswerWriter, ArrivedRequest, type WireAnswer, type WireRequest } from './wire';

export interface MerchantServerPorts {
  readonly life: Life;
  readonly products: Products;
  readonly log: EventStore;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly onLine: (event: string, error: unknown) => void;
}

export class MerchantServerProcess {
  readonly life: Life;
  readonly #edge: MerchantServerEdge;

  constructor({ life, products, log: store, keyRing, clock, ids, random, onLine }: MerchantServerPorts) {
    this.life = life;
    const server = new MountableMerchantServer({ products, store, keyRing, isProduction: false, clock, ids, random });
    this.#edge = new MerchantServerEdge(server, { info: () => undefined, failure: onLine });
  }

  /** Never settles if the process ends before it answers. */
  request(wire: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve) => {
      const answer = new AnswerWriter(resolve);
      const route = merchantServerRouteOf(wire.path);
      if (route === undefined) return void answer.writeHead(404, {}).end('Not Found\n');
      type Served = Parameters<MerchantServerEdge['serve']>;
      void this.#edge.serve(route, new ArrivedRequest(wire, {}) as unknown as Served[1], answer as unknown as Served[2]);
    });
  }
}
