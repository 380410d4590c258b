import type { ClientOrderId } from '@app/kernel';
import { load, runOpeningDecision } from '@app/event-store';
import type { Product } from '@app/configuration';
import { orderEnds, type OrderEnds, type FinalStatus } from '../domain/order-end';
import { orderEndStream, orderEndCodec } from '../merchant-server.codec';
import { envelopeOf } from './envelope';
import type { MerchantServerPorts } from './ports';

export interface NotifiedEnd {
  readonly product: Product;
  readonly clientOrderId: ClientOrderId;
  readonly orderId: string;
  readonly status: FinalStatus;
}

/** Final statuses from the gateway's callbacks; a product delivers its goods by them. */
export class DurableOrderEnds {
  constructor(private readonly ports: MerchantServerPorts) {}

  /**
   * Durable when it resolves; a repeated callback changes nothing.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async remember({ product, ...end }: NotifiedEnd): Promise<'remembered' | 'too-many'> {
    const result = await runOpeningDecision({
      store: this.ports.store,
      codec: orderEndCodec,
      decider: orderEnds,
      stream: orderEndStream(product.login, end.clientOrderId),
      command: { type: 'RecordOrderEnd', data: { ...end, now: this.ports.clock.now() } },
      envelope: envelopeOf(this.ports, 'gateway', product.login),
    });
    return result.kind === 'rejected' && result.rejection.reason === 'too-many' ? 'too-many' : 'remembered';
  }

  /**
   * The final statuses received for one `client_orderid` (in Group B an invoiceId), the newest last.
   * @throws StoreUnavailable
   */
  async of({ login }: Product, clientOrderId: ClientOrderId): Promise<OrderEnds['ends']> {
    return (await load(this.ports.store, orderEndStream(login, clientOrderId), orderEnds, orderEndCodec)).state.ends;
  }
}
