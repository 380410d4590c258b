import { performOrder, type Performed, type PerformPorts, type PerformRefused, type PerformRequest } from '@app/orders';
import { transferCodec, transferStream } from './transfer.codec';

/** Accepts one order for each invoice, however often it is requested. */
export class PerformTransferHandler {
  constructor(private readonly ports: PerformPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  handle(request: PerformRequest): Promise<Performed | PerformRefused> {
    const stream = transferStream(request.merchant, request.clientOrderId);
    return performOrder(this.ports, { kind: 'transfer', stream, codec: transferCodec }, request);
  }
}
