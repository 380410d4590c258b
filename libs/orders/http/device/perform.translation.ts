import type { BootId, ClientOrderId } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { Gates } from '@app/gateway-adapters/contract';
import { isAmbiguousSignedText, type DeviceOperation, type PerformCause } from '@app/gateway-protocol';
import type { Accounts, Configuration, Endpoint } from '@app/configuration';
import type { ExchangeListener } from '@app/http/request';
import {
  failed,
  type DeviceAnswer,
  type FailureName,
  type SignedRequest,
  cardIn,
  customerIn,
  detailsIn,
  deviceTextsIn,
  receivingCardIn,
  securityCodeIn,
} from '@app/http/group-b';
import { offerFor } from '../../application/acceptance/offer';
import type { Performed, PerformRefused, PerformRequest } from '../../application/acceptance/perform-order';
import type { Offer } from '../../domain/acceptance';
import type { Operation } from '../../domain/accepted-order';

/** A repeat may come without its security code, or signed with another key of the merchant (protocol decisions, section 8). */
const NOT_CONTENT: ReadonlySet<string> = new Set(['securityCode', 'signature']);
/** In earlier releases, whose digests are in the log. */
const NOT_CONTENT_BEFORE: ReadonlySet<string> = new Set(['securityCode']);

/** Sorted, because the log keeps digests for ever and the order of declarations may change. */
const addMembers = (content: string[], path: string, value: unknown, omitted: ReadonlySet<string>): void => {
  if (typeof value !== 'object' || value === null) {
    content.push(path, String(value));
    return;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members).sort()) {
    if (!omitted.has(name) && members[name] !== undefined) addMembers(content, `${path}.${name}`, members[name], omitted);
  }
};

/** The content by which repeats are compared: everything but security code and signature, which differs by key. */
export const performContent = (
  operation: DeviceOperation,
  endpointId: string,
  message: object,
  omitted = NOT_CONTENT,
): readonly string[] => {
  const content: string[] = [operation, endpointId];
  addMembers(content, '', message, omitted);
  return content;
};

export const performContentBefore = (operation: DeviceOperation, endpointId: string, message: object): readonly string[] =>
  performContent(operation, endpointId, message, NOT_CONTENT_BEFORE);

export interface DeviceOrderHandler {
  handle(request: PerformRequest): Promise<Performed | PerformRefused>;
}

export interface PerformPorts {
  readonly accounts: Accounts;
  readonly gates: Gates;
  readonly digests: Pick<ServiceDigests, 'contentDigest'>;
  readonly bootId: BootId;
  readonly configuration: {
    readonly groupB: Pick<Configuration['groupB'], 'feeChoiceMs'>;
    readonly threeDSecure: Pick<Configuration['threeDSecure'], 'payerMs'>;
  };
  readonly listener: Pick<ExchangeListener, 'signatureAmbiguous'>;
}

const OPERATION_OF_PLAN = { verification: 'account-verification', sale: 'sale', transfer: 'transfer' } as const satisfies Readonly<
  Record<DeviceOperation, Operation>
>;

const REFUSALS: Readonly<Record<PerformRefused['reason'], readonly [name: FailureName, cause: PerformCause, message: string]>> = {
  'nonce-reused': ['nonce-reused', 'INVALID_REQUEST', 'session.nonce was used with another invoice'],
  'client-orderid-reused': ['invoice-reused', 'INVALID_REQUEST', 'The invoice was used with other content'],
  'currency-not-served': ['currency-not-served', 'INVALID_REQUEST', 'transaction.currency is not the currency of the endpoint'],
  'cvv-required': ['security-code-required', 'INVALID_REQUEST', 'securityCode is required by the gate'],
  'email-required': ['email-required', 'INVALID_REQUEST', 'consumer.email is required'],
  'amount-out-of-range': ['amount-out-of-range', 'INVALID_REQUEST', 'transaction.amountCentis is out of range'],
  'operation-not-offered': ['not-configured', 'INVALID_CONFIGURATION', 'The endpoint is not configured for this operation'],
  held: ['temporarily-unavailable', 'INTERNAL_ERROR', 'Temporarily unavailable, nothing was accepted'],
  'address-not-called': ['not-configured', 'INVALID_CONFIGURATION', 'The endpoint is not configured for this operation'],
};

/** Performs are answered before the order is processed (interface, sections 4.2 and 4.5). */
export class PerformTranslation {
  constructor(private readonly ports: PerformPorts) {}

  async perform(request: SignedRequest, handler: DeviceOrderHandler): Promise<DeviceAnswer<PerformCause>> {
    const order = this.orderIn(request);
    const outcome = await handler.handle(order);
    if (outcome.reason !== 'accepted') {
      const [name, cause, text] = REFUSALS[outcome.reason];
      return failed(name, cause, text);
    }
    if (order.signatureAmbiguous) this.ports.listener.signatureAmbiguous();
    const body = { invoiceId: request.path.invoiceId, session: { token: outcome.token } };
    return { kind: 'answer', body, orderId: outcome.orderId };
  }

  private orderIn(request: SignedRequest): PerformRequest {
    const { operation: row, message, path, serial, callerTrace, deadline, merchant, endpoint, signed } = request;
    const card = cardIn(message);
    const destination = receivingCardIn(message);
    const cvv = securityCodeIn(message);
    return {
      operation: OPERATION_OF_PLAN[row.operation],
      merchant,
      endpointId: endpoint.id,
      clientOrderId: path.invoiceId as ClientOrderId,
      contentDigest: this.ports.digests.contentDigest(performContent(row.operation, endpoint.id, message)),
      contentDigestBefore: () => this.ports.digests.contentDigest(performContentBefore(row.operation, endpoint.id, message)),
      amount: { minor: BigInt(signed.amountCentis ?? 0), currency: endpoint.currency },
      ...(card && { card }),
      ...(destination && { destination }),
      ...(cvv && { cvv }),
      customer: customerIn(message),
      details: detailsIn(message),
      device: deviceTextsIn(message),
      offer: this.offerOf(request, cvv !== undefined, endpoint),
      serial,
      callerTrace,
      deadline,
      signatureAmbiguous: isAmbiguousSignedText(signed),
    };
  }

  /** A refusal counts only if the invoice has no order yet (architecture, rule 1). */
  private offerOf({ operation: row, message, account }: SignedRequest, hasCvv: boolean, endpoint: Endpoint): Offer {
    const { transaction, consumer } = message;
    const { currency } = transaction;
    const { accounts, gates, bootId, configuration } = this.ports;
    const { payerMs } = configuration.threeDSecure;
    const operation = OPERATION_OF_PLAN[row.operation];
    if (account.merchantUrl === undefined) return { kind: 'refused', reason: 'operation-not-offered' };
    if (currency !== endpoint.currency) return { kind: 'refused', reason: 'currency-not-served' };
    if (consumer.email === undefined && endpoint.consumerEmail === 'required') return { kind: 'refused', reason: 'email-required' };
    const entryPoint = { kind: 'endpoint' as const, id: endpoint.id, merchant: endpoint.merchant, endpoint };
    const addresses = { callbackUrl: undefined, notifyUrl: undefined };
    const operationName = row.operation;
    const offer = offerFor(accounts, { entryPoint, gates, operation, operationName, currency, hasCvv, bootId, payerMs, ...addresses });
    if (offer.kind === 'refused') return offer;
    const isChoiceAsked = operation === 'transfer' && endpoint.transferRates === 'consumer';
    // The verification itself withdraws the random sum, so none can be required of it.
    const isRandomSumRequired = endpoint.randomSum === 'required' && operation !== 'account-verification';
    const device = { isRandomSumRequired, ...(isChoiceAsked && { feeChoiceMs: configuration.groupB.feeChoiceMs }) };
    return { ...offer, plan: { ...offer.plan, device } };
  }
}
