import {
  addMs,
  type AttemptKey,
  type BootId,
  type CardHandle,
  type CardRefId,
  type CardUid,
  type ClientOrderId,
  type ContentDigest,
  type Currency,
  type EndpointId,
  type GateAlias,
  type Instant,
  type MerchantLogin,
  type Money,
  type OrderId,
  type Sealed,
} from '@app/kernel';
import type { CardReferenceIssued } from '@app/card-registration/events';
import type { AcceptedOrder, PlannedGate, Receipt } from '@app/orders/events';
import type { PaymentAccepted } from '@app/payment/events';
import type { RecurrentPaymentAccepted } from '@app/recurring/events';

export const START = 1_704_067_200_000 as Instant;
export const ACME = 'acme' as MerchantLogin;
const USD = 'USD' as Currency;

const gate = (alias: string): PlannedGate => ({
  alias: alias as GateAlias,
  descriptor: `${alias} shown`,
  gateDescriptor: `${alias} own`,
  partialReversal: alias === 'sim-a',
  partialCapture: false,
  longestFlightMs: 5_000,
});

const letters = (number: number): string => [...number.toString(26)].map((digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');

export const orderIdOf = (kind: 'p' | 'r', number: number): OrderId => `${kind}${letters(number).padStart(14, 'a')}r` as OrderId;
export const cardRefIdOf = (number: number): CardRefId => `c${letters(number).padStart(18, 'a')}c` as CardRefId;

export const acceptedOrder = (number: number, kind: 'p' | 'r', gates: readonly [string, ...string[]] = ['sim-a']): AcceptedOrder => {
  const [first, ...others] = gates;
  return {
    orderId: orderIdOf(kind, number),
    merchant: ACME,
    clientOrderId: `order-${number}` as ClientOrderId,
    endpointId: '1001' as EndpointId,
    amount: { minor: 1_042n + BigInt(number), currency: USD },
    contentDigest: 'digest' as ContentDigest,
    card: {
      handle: `handle-${number}` as CardHandle,
      uid: `uid-${number % 7}` as CardUid,
      face: { bin: '444433', lastFour: '1111', brand: 'VISA', expiryMonth: 12, expiryYear: 2031 },
    },
    customer: `sealed customer ${number}` as Sealed,
    details: `sealed details ${number}` as Sealed,
    plan: {
      operation: 'sale',
      gates: [gate(first), ...others.map(gate)],
      payerMs: 900_000,
      ...(kind === 'p' && { cvvHolder: 'boot' as BootId }),
      callbacks: ['callback'],
    },
    acceptedAt: START,
  };
};

export const paymentAccepted = (number: number, gates?: readonly [string, ...string[]]): PaymentAccepted => ({
  type: 'OrderAccepted',
  data: acceptedOrder(number, 'p', gates),
});

export const recurrentAccepted = (number: number, gates?: readonly [string, ...string[]]): RecurrentPaymentAccepted => ({
  type: 'OrderAccepted',
  data: { ...acceptedOrder(number, 'r', gates), cardRefId: cardRefIdOf(number), marks: {} },
});

export const cardReferenceIssued = (number: number): CardReferenceIssued => {
  const { orderId, clientOrderId, endpointId, card, customer, merchant } = acceptedOrder(number, 'p');
  return {
    type: 'CardReferenceIssued',
    data: {
      cardRefId: cardRefIdOf(number),
      use: 'source',
      merchant,
      orderKind: 'payment',
      orderId,
      clientOrderId,
      endpointId,
      card,
      customer,
      issuedAt: addMs(START, number),
    },
  };
};

export const receiptOf = (key: AttemptKey): Receipt => ({
  transactionId: `PNTEST-${key}`,
  processedAt: addMs(START, 30),
  rrn: '123',
  terminalId: 'T1',
});

export const amountOf = (minor: bigint): Money => ({ minor, currency: USD });
