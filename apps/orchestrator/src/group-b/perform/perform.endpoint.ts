import type { BootId, ClientOrderId } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { Gates } from '@app/gateway-adapters/contract';
import {
  isAmbiguousSignedText,
  isDeviceSignature,
  paymentSignature,
  PerformSaleRequest,
  PerformTransferRequest,
  PerformVerificationRequest,
  verificationSignature,
  type ControlKey,
  type DeviceOperation,
  type PerformCause,
} from '@app/gateway-protocol';
import type { Accounts, Endpoint, Merchant } from '@app/configuration';
import { offerFor, type Performed, type PerformRefused, type PerformRequest } from '@app/order-processing';
import type { Offer, Operation } from '@app/order-processing/domain';
import type { KeysOfUnknownMerchants } from '../../request/unknown-merchants/keys-of-unknown-merchants';
import {
  failed,
  type DeviceAnswer,
  type DeviceEndpoint,
  type DevicePath,
  type DeviceRequest,
  type Failed,
  type FailureName,
  type Proven,
} from '../device-endpoint';
import { performContent } from './content';
import { cardIn, customerIn, detailsIn, deviceTextsIn, receivingCardIn, securityCodeIn, type PerformMessage } from './perform-texts';

/** Takes a device's order in; the context's handler. */
export interface TakesDeviceOrders {
  handle(request: PerformRequest): Promise<Performed | PerformRefused>;
}

export interface PerformPorts {
  readonly accounts: Accounts;
  readonly nobody: Pick<KeysOfUnknownMerchants, 'control'>;
  readonly gates: Gates;
  readonly digests: Pick<ServiceDigests, 'contentDigest'>;
  readonly handler: TakesDeviceOrders;
  readonly bootId: BootId;
  readonly payerMs: number;
  readonly feeChoiceMs: number;
  /** Told of each order that was taken under a signed text which splits otherwise too (safety, section 3.1). */
  readonly onAmbiguousSignature: () => void;
}

/** What tells the three apart: message, signed text, and what the gate is asked for. */
interface Perform<Message extends PerformMessage> {
  readonly operation: DeviceOperation;
  readonly planned: Operation;
  readonly message: new () => Message;
}

export const PERFORM_VERIFICATION: Perform<PerformVerificationRequest> = {
  operation: 'verification',
  planned: 'account-verification',
  message: PerformVerificationRequest,
};
export const PERFORM_SALE: Perform<PerformSaleRequest> = { operation: 'sale', planned: 'sale', message: PerformSaleRequest };
export const PERFORM_TRANSFER: Perform<PerformTransferRequest> = {
  operation: 'transfer',
  planned: 'transfer',
  message: PerformTransferRequest,
};

/** A complete table: a reason without a row does not compile (protocol decisions, section 8). */
const REFUSALS: Readonly<Record<PerformRefused['reason'], readonly [name: FailureName, cause: PerformCause, message: string]>> = {
  'nonce-reused': ['nonce-reused', 'INVALID_REQUEST', 'session.nonce was used with another invoice'],
  'client-orderid-reused': ['invoice-reused', 'INVALID_REQUEST', 'The invoice was used with other content'],
  'currency-not-served': ['currency-not-served', 'INVALID_REQUEST', 'transaction.currency is not the currency of the endpoint'],
  'cvv-required': ['security-code-required', 'INVALID_REQUEST', 'securityCode is required by the gate'],
  'email-required': ['email-required', 'INVALID_REQUEST', 'consumer.email is required'],
  'amount-out-of-range': ['amount-out-of-range', 'INVALID_REQUEST', 'transaction.amountCentis is out of range'],
  'operation-not-offered': ['not-configured', 'INVALID_CONFIGURATION', 'The endpoint is not configured for this operation'],
  'address-not-called': ['not-configured', 'INVALID_CONFIGURATION', 'The endpoint is not configured for this operation'],
};

interface Signed {
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly endpointId: string;
  readonly nonce: string;
  readonly invoiceId: string;
  readonly currency: string;
  readonly amountCentis?: number;
}

const signedOf = ({ consumer, session, transaction }: PerformMessage, { endpointId, invoiceId }: DevicePath): Signed => ({
  accessToken: session.accessToken,
  serialNumber: consumer.device.serialNumber,
  endpointId,
  nonce: session.nonce,
  invoiceId,
  currency: transaction.currency,
  ...('amountCentis' in transaction && { amountCentis: transaction.amountCentis }),
});

const signatureOf = ({ amountCentis, ...signed }: Signed, key: ControlKey): string =>
  amountCentis === undefined ? verificationSignature(signed, key) : paymentSignature({ ...signed, amountCentis }, key);

/** Perform verification, sale and transfer: answered at once, what comes of it by status (interface, sections 4.2 and 4.5). */
export class PerformEndpoint<Message extends PerformMessage> implements DeviceEndpoint<Message, PerformCause> {
  readonly name;
  readonly message;

  constructor(
    private readonly perform: Perform<Message>,
    private readonly ports: PerformPorts,
  ) {
    this.name = `perform-${perform.operation}` as const;
    this.message = perform.message;
  }

  /** The signature first: no stranger makes the gateway call a merchant server (safety, T19). */
  prove(request: DeviceRequest<Message>): Promise<Proven<PerformCause> | Failed<PerformCause>> {
    const { path, message } = request;
    const { accounts, nobody } = this.ports;
    const entryPoint = accounts.entryPoint('endpoint', path.endpointId);
    const merchant = entryPoint && accounts.merchant(entryPoint.merchant);
    const signed = signedOf(message, path);
    // The stranger's signature is computed too: how long an answer takes tells nothing (safety, T10).
    const { controlKey } = merchant ?? nobody.control(undefined, path.endpointId);
    const isSigned = isDeviceSignature(signatureOf(signed, controlKey), message.session.signature);
    if (entryPoint?.kind !== 'endpoint' || merchant === undefined || !isSigned) {
      return Promise.resolve(failed('not-authentic', 'INVALID_REQUEST', 'session.signature is not valid'));
    }
    const { endpoint } = entryPoint;
    return Promise.resolve({ kind: 'proven', merchant: merchant.login, go: () => this.take(request, signed, merchant, endpoint) });
  }

  private async take(
    { message, path, serial, callerTrace, deadline }: DeviceRequest<Message>,
    signed: Signed,
    merchant: Merchant,
    endpoint: Endpoint,
  ): Promise<DeviceAnswer<PerformCause>> {
    const { digests, handler, onAmbiguousSignature } = this.ports;
    const { operation, planned } = this.perform;
    const { invoiceId } = path;
    const signatureAmbiguous = isAmbiguousSignedText(signed);
    const card = cardIn(message);
    const destination = receivingCardIn(message);
    const cvv = securityCodeIn(message);
    const outcome = await handler.handle({
      operation: planned,
      merchant: merchant.login,
      endpointId: endpoint.id,
      clientOrderId: invoiceId as ClientOrderId,
      contentDigest: digests.contentDigest(performContent(operation, endpoint.id, message)),
      amount: { minor: BigInt(signed.amountCentis ?? 0), currency: endpoint.currency },
      ...(card && { card }),
      ...(destination && { destination }),
      ...(cvv && { cvv }),
      customer: customerIn(message),
      details: detailsIn(message),
      device: deviceTextsIn(message),
      offer: this.offerOf(message, cvv !== undefined, merchant, endpoint),
      serial,
      callerTrace,
      deadline,
      signatureAmbiguous,
    });
    if (outcome.reason !== 'accepted') {
      const [name, cause, text] = REFUSALS[outcome.reason];
      return failed(name, cause, text);
    }
    if (signatureAmbiguous) onAmbiguousSignature();
    return { kind: 'answer', body: { invoiceId, session: { token: outcome.token } } };
  }

  /** What the configuration of the moment offers; a refusal is told only where the invoice has no order yet (architecture, rule 1). */
  private offerOf({ transaction, consumer }: PerformMessage, hasCvv: boolean, { merchantUrl }: Merchant, endpoint: Endpoint): Offer {
    const { currency } = transaction;
    const { accounts, gates, bootId, payerMs, feeChoiceMs } = this.ports;
    const { operation: operationName, planned: operation } = this.perform;
    if (merchantUrl === undefined) return { kind: 'refused', reason: 'operation-not-offered' };
    if (currency !== endpoint.currency) return { kind: 'refused', reason: 'currency-not-served' };
    if (consumer.email === undefined && endpoint.consumerEmail === 'required') return { kind: 'refused', reason: 'email-required' };
    const entryPoint = { kind: 'endpoint' as const, id: endpoint.id, merchant: endpoint.merchant, endpoint };
    const addresses = { callbackUrl: undefined, notifyUrl: undefined };
    const offer = offerFor(accounts, { entryPoint, gates, operation, operationName, currency, hasCvv, bootId, payerMs, ...addresses });
    if (offer.kind === 'refused') return offer;
    const isChoiceAsked = operation === 'transfer' && endpoint.transferRates === 'consumer';
    // A verification is what withdraws the sum: nothing is known of it before.
    const isRandomSumRequired = endpoint.randomSum === 'required' && operation !== 'account-verification';
    const device = { isRandomSumRequired, ...(isChoiceAsked && { feeChoiceMs }) };
    return { ...offer, plan: { ...offer.plan, device } };
  }
}
