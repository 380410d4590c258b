import type { Card, Secret } from '@app/kernel';
import { performOrder, type Performed, type PerformPorts, type PerformRefused, type PerformRequest } from '@app/orders';
import { deviceVerificationCodec, deviceVerificationStream } from './device-verification.codec';

/** A card is always given by its number, because the verification is to give it a reference. */
export interface PerformVerificationRequest extends Omit<PerformRequest, 'destination'> {
  readonly card: Secret<Card>;
}

/** Accepts an app's verification: one order for each invoice, however often it is requested. */
export class PerformVerificationHandler {
  constructor(private readonly ports: PerformPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  handle(request: PerformVerificationRequest): Promise<Performed | PerformRefused> {
    const stream = deviceVerificationStream(request.merchant, request.clientOrderId);
    return performOrder(this.ports, { kind: 'deviceVerification', stream, codec: deviceVerificationCodec }, request);
  }
}
