import { Secret } from '@app/kernel';
import {
  InitiateSaleRequest,
  InitiateTransferRequest,
  InitiateVerificationRequest,
  PerformSaleRequest,
  PerformTransferRequest,
  PerformVerificationRequest,
  readDeviceMessage,
} from '@app/gateway-protocol';
import type { CardDetails, Destination, Device, DeviceOrder, Invoice, Source } from './device-order';
import type { InvalidRequest } from './outcome';

const INITIATE = { verification: InitiateVerificationRequest, sale: InitiateSaleRequest, transfer: InitiateTransferRequest } as const;
const PERFORM = { verification: PerformVerificationRequest, sale: PerformSaleRequest, transfer: PerformTransferRequest } as const;

/** A body that satisfies the constraints of the interface, section 2.6; it may contain a card. */
export type EncodedBody = { readonly kind: 'encoded'; readonly body: Secret<string> } | InvalidRequest;

/** Validates requests by the same rules as answers, so that a mistake fails at once and consumes no invoice or nonce. */
const checked = (Message: new () => object, body: object): InvalidRequest | undefined => {
  const read = readDeviceMessage(Message, body);
  return 'ok' in read ? undefined : { kind: 'invalid-request', ...read.refused };
};

const encoded = (body: object): EncodedBody => ({ kind: 'encoded', body: new Secret(JSON.stringify(body)) });

// The wire's amount is a JSON number. Above 2^53 it is an unsafe integer, which validation rejects.
const transactionOf = (order: DeviceOrder): object =>
  order.operation === 'verification'
    ? { currency: order.currency }
    : { currency: order.currency, amountCentis: Number(order.amountCentis) };

const cardOf = ({ number, securityCode, expiry, holder }: CardDetails): object => ({
  number: number.reveal(),
  securityCode: securityCode.reveal(),
  expiry: { month: expiry.month, year: expiry.year },
  holder,
});

const sourceOf = (source: Source): object => {
  if ('card' in source) return { card: cardOf(source.card) };
  const { clientCardId, securityCode } = source.reference;
  return { reference: { clientCardId, securityCode: securityCode?.reveal() } };
};

const destinationOf = (destination: Destination): object =>
  'card' in destination
    ? { card: { number: destination.card.number.reveal() } }
    : { reference: { clientCardId: destination.reference.clientCardId } };

const fundsOf = (order: DeviceOrder): object => {
  switch (order.operation) {
    case 'verification':
      return { sourceCard: cardOf(order.card) };
    case 'sale':
      return { sourceOfFunds: sourceOf(order.source) };
    case 'transfer':
      return { sourceOfFunds: sourceOf(order.source), destinationOfFunds: destinationOf(order.destination) };
  }
};

/** Interface, section 4.4. Contains no card, but the access token. */
export const initiateBody = ({ serialNumber, imei, ipAddresses }: Device, order: DeviceOrder, accessToken: string): EncodedBody => {
  const bins = order.operation === 'transfer' ? { fromBin: order.fromBin, toBin: order.toBin } : {};
  const body = {
    consumer: { device: { serialNumber, imei }, ipAddresses },
    location: order.location,
    session: { accessToken },
    transaction: transactionOf(order),
    ...bins,
  };
  return checked(INITIATE[order.operation], body) ?? encoded(body);
};

export const performBody = (
  { serialNumber, imei, ipAddresses }: Device,
  order: DeviceOrder,
  { nonce, signature }: Pick<Invoice, 'nonce' | 'signature'>,
  accessToken: string,
): EncodedBody => {
  const body = {
    consumer: { device: { serialNumber, imei }, ipAddresses, email: order.email, birthDay: order.birthDay },
    session: { accessToken, nonce, signature },
    location: order.location,
    billing: order.billing,
    order: order.details,
    transaction: transactionOf(order),
    ...fundsOf(order),
  };
  return checked(PERFORM[order.operation], body) ?? encoded(body);
};
