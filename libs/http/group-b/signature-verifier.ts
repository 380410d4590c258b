import { isDeviceSignature, paymentSignature, verificationSignature, type ControlKey, type PerformCause } from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import type { KeysOfUnknownMerchants } from '../request/keys-of-unknown-merchants';
import { failed, type Failed } from './device-answer';
import type { DevicePath, DeviceRequest, SignedRequest, SignedValues } from './device-request';
import type { PerformMessage } from './perform-texts';

const signedOf = ({ consumer, session, transaction }: PerformMessage, { endpointId, invoiceId }: DevicePath): SignedValues => ({
  accessToken: session.accessToken,
  serialNumber: consumer.device.serialNumber,
  endpointId,
  nonce: session.nonce,
  invoiceId,
  currency: transaction.currency,
  ...('amountCentis' in transaction && { amountCentis: transaction.amountCentis }),
});

const signatureOf = ({ amountCentis, ...signed }: SignedValues, key: ControlKey): string =>
  amountCentis === undefined ? verificationSignature(signed, key) : paymentSignature({ ...signed, amountCentis }, key);

/** Authenticates a perform by the signature of the merchant whose endpoint it names (interface, section 5.3). */
export class SignatureVerifier {
  constructor(
    private readonly accounts: Accounts,
    private readonly unknownMerchants: Pick<KeysOfUnknownMerchants, 'control'>,
  ) {}

  /** An unauthenticated caller must not make the gateway call a merchant server (safety, T19). */
  verify<Message extends PerformMessage>(request: DeviceRequest<Message>): SignedRequest<Message> | Failed<PerformCause> {
    const { operation, path, message, serial, callerTrace, deadline, receivedAt } = request;
    const entryPoint = this.accounts.entryPoint('endpoint', path.endpointId);
    const account = entryPoint && this.accounts.merchant(entryPoint.merchant);
    const signed = signedOf(message, path);
    // For an unknown endpoint a signature is computed too, so that the time of the answer does not show which endpoints exist (safety, T10).
    const { controlKey } = account ?? this.unknownMerchants.control(undefined, path.endpointId);
    const isSigned = isDeviceSignature(signatureOf(signed, controlKey), message.session.signature);
    if (entryPoint?.kind !== 'endpoint' || account === undefined || !isSigned) {
      return failed('not-authentic', 'INVALID_REQUEST', 'session.signature is not valid');
    }
    const { endpoint } = entryPoint;
    const { login: merchant } = account;
    return { kind: 'signed', operation, path, message, serial, callerTrace, deadline, receivedAt, merchant, account, endpoint, signed };
  }
}
