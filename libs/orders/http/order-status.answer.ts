import { commissionOf, formatAmount, type Deadline } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { formatInstant, inWireOrder, ORDER_STATUS_FIELDS, type OrderStatusField, type OrderStatusResponse } from '@app/gateway-protocol';
import type { Accounts, Merchant } from '@app/configuration';
import { viewForRequest, type OrderStatusView } from '@app/read-models';
import {
  cardDescription,
  cardTypeOf,
  gateDescription,
  hasAmount,
  merchantStatus,
  orderAmount,
  streamOfOrder,
} from '@app/read-models/queries';
import { orderTexts } from '../application/order-texts';
import { SEALED_FIELDS } from '../domain/accepted-order';
import { reasonText } from '../domain/reason-text';
import { authenticationPage } from './payer/order-page';
import type { PayerPages } from './payer/payer-link';

type MandatoryField =
  'type' | 'serial-number' | 'merchant-order-id' | 'paynet-order-id' | 'status' | 'transaction-type' | 'order-stage' | 'end-point-id';
type Fields = { readonly [Name in Exclude<OrderStatusField, MandatoryField>]?: string | undefined };

export interface OrderStatusAnswerPorts {
  readonly sealer: OrderSealer;
  readonly accounts: Accounts;
  readonly pages: PayerPages;
}

export interface StatusQuery {
  readonly serial: string;
  readonly askedSerial: string | undefined;
  readonly deadline?: Deadline | undefined;
}

/** A field without a value is left out (protocol decisions, D2.9). */
export class OrderStatusAnswer {
  constructor(private readonly ports: OrderStatusAnswerPorts) {}

  async pairs(
    order: OrderStatusView,
    merchant: Merchant,
    { serial, askedSerial, deadline }: StatusQuery,
  ): Promise<readonly (readonly [string, string])[]> {
    const view = viewForRequest(order, askedSerial);
    const [customer, details] = await Promise.all([
      orderTexts(this.ports.sealer, { merchant: merchant.login, field: SEALED_FIELDS.customer, sealed: view.customer, deadline }),
      orderTexts(this.ports.sealer, { merchant: merchant.login, field: SEALED_FIELDS.details, sealed: view.details, deadline }),
    ]);
    const response: OrderStatusResponse = {
      type: 'status-response',
      'serial-number': serial,
      'merchant-order-id': view.clientOrderId,
      'paynet-order-id': view.orderId,
      status: merchantStatus(view.status, merchant),
      'transaction-type': view.transactionType,
      'order-stage': view.stage,
      'end-point-id': view.endpointId,
      ...amounts(view),
      ...customerFields(customer),
      ...cardFields(view, customer),
      'destination-card-country-alpha-three-code': this.countryOf(view.destination),
      ...gateFields(view),
      ...authenticationFields(order),
      ...outcomeFields(view),
      ...this.commissions(view, merchant),
      ...(await this.payerFields(view, merchant, deadline)),
      merchantdata: details.get('merchantData'),
      'by-request-sn': askedSerial,
    };
    return inWireOrder(ORDER_STATUS_FIELDS, response);
  }

  private commissions(view: OrderStatusView, { showCommissions }: Merchant): Fields {
    const { status, gate, amountMinor } = view;
    if (!showCommissions || status !== 'approved' || gate === null || !hasAmount(view)) return {};
    const settings = this.ports.accounts.gates.find(({ alias }) => alias === gate.alias);
    // The gate may have left the configuration, which must not hide the rest of the order.
    if (settings === undefined) return {};
    const { commission, acquirerCommission } = settings;
    return {
      'seller-commission': formatAmount(commissionOf(BigInt(amountMinor), commission)),
      'acquirer-commission': formatAmount(commissionOf(BigInt(amountMinor), acquirerCommission ?? commission)),
    };
  }

  private countryOf(card: OrderStatusView['destination']): string | undefined {
    return card === null ? undefined : this.ports.accounts.bins.find(({ bin }) => bin === card.face.bin)?.country;
  }

  private async payerFields(view: OrderStatusView, merchant: Merchant, deadline: Deadline | undefined): Promise<Fields> {
    const { payer } = view;
    if (payer === null) return {};
    const page = await authenticationPage(this.ports.sealer, { merchant, sealed: payer.page, deadline });
    return { html: page?.html, 'redirect-to': this.ports.pages.startUrl(streamOfOrder(view), payer.attemptKey) };
  }
}

const amounts = (view: OrderStatusView): Fields => {
  const { amount, currency } = orderAmount(view);
  return amount === undefined ? {} : { amount, currency, 'initial-amount': formatAmount(BigInt(view.initialAmountMinor)) };
};

const customerFields = (customer: ReadonlyMap<string, string>): Fields => ({
  phone: customer.get('phone'),
  email: customer.get('email'),
  'first-name': customer.get('firstName'),
  'last-name': customer.get('lastName'),
  country: customer.get('country'),
  state: customer.get('state'),
  city: customer.get('city'),
  zip_code: customer.get('zipCode'),
  address1: customer.get('address1'),
});

const cardFields = ({ card, issuer }: OrderStatusView, customer: ReadonlyMap<string, string>): Fields => ({
  ...cardDescription({ card, issuer }),
  name: customer.get('holder'),
  'cardholder-name': customer.get('holder'),
  'card-hash-id': card?.uid,
  'card-country-alpha-three-code': issuer?.country,
  'bank-name': issuer?.bank,
  'ips-src-payment-product-code': issuer?.productCode,
  'ips-src-payment-product-name': issuer?.productName,
  'ips-src-payment-type-code': issuer?.typeCode,
  'ips-src-payment-type-name': issuer?.typeName,
});

const gateFields = ({ gate, receipt, processingAt }: OrderStatusView): Fields => ({
  ...gateDescription(gate),
  'paynet-processing-date': processingAt === null ? undefined : formatInstant(processingAt),
  'processor-tx-id': receipt?.transactionId,
  'processor-rrn': receipt?.rrn,
  'terminal-id': receipt?.terminalId,
  'loyalty-balance': receipt?.loyalty?.balance,
  'loyalty-message': receipt?.loyalty?.message,
  'loyalty-bonus': receipt?.loyalty?.bonus,
  'loyalty-program': receipt?.loyalty?.program,
});

/** The ECI is shown for Visa cards only (interface, section 2.5). */
const ECI_CARD_TYPE = 'VISA';

/** From the order even for a follow-up's serial-number, because no payer authenticates for a follow-up. */
const authenticationFields = ({ receipt, randomSum, card, issuer }: OrderStatusView): Fields => ({
  'verified-3d-status': receipt?.payerAuthentication,
  'verified-rsc-status': randomSum ?? undefined,
  eci: cardTypeOf({ card, issuer }) === ECI_CARD_TYPE ? receipt?.eci : undefined,
});

const outcomeFields = ({ status, approvalCode, receiptId, finalAt, code, advice }: OrderStatusView): Fields => ({
  'approval-code': status === 'approved' ? (approvalCode ?? undefined) : undefined,
  'receipt-id': status === 'approved' ? (receiptId ?? undefined) : undefined,
  'transaction-date': finalAt === null ? undefined : formatInstant(finalAt),
  'error-code': code === null ? undefined : String(code),
  'error-message': code === null ? undefined : reasonText(code),
  'motivational-message': advice ?? undefined,
});
