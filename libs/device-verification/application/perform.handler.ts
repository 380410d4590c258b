import type { Card, Secret } from '@app/kernel';
import { performOrder, type Performed, type PerformPorts, type PerformRefused, type PerformRequest } from '@app/orders';
import { deviceVerificationCodec, deviceVerificationStream } from './device-verification.codec';

/** The card is always given by its number, because the verification gives it a reference. */
export interface PerformVerificationRequest extends Omit<PerformRequest, 'destination'> {
  readonly card: Secret<Card>;
}

export class PerformVerificationHandler {
  constructor(private readonly ports: PerformPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  handle(request: PerformVerificationRequest): Promise<Performed | PerformRefused> {
    const stream = deviceVerificationStream(request.merchant, request.clientOrderId);
    return performOrder(this.ports, { kind: 'deviceVerification', stream, codec: deviceVerificationCodec }, request);
  }
}
