import { paymentSignature, verificationSignature, type DeviceOperation } from '@app/gateway-protocol';
import { alpha3Of, type Card, type Currency, type Money, type Secret } from '@app/kernel';
import type { PayerDevice, TransferRequest, VerifyRequest } from '../../contract';
import { deviceSession, type DeviceAccount } from './device-account';

export interface PerformedOrder {
  readonly operation: DeviceOperation;
  readonly request: VerifyRequest;
  readonly currency: Currency;
  readonly amount: Money | undefined;
  readonly destination?: TransferRequest['destination'];
  readonly device: PayerDevice;
  readonly cvv: Secret<string>;
}

const NAME_CHARACTERS_MAX = 50;

/** From YYYYMMDD to ddMMyyyy. */
const birthDayOf = (birthday: string | undefined): string | undefined =>
  birthday && birthday.slice(6) + birthday.slice(4, 6) + birthday.slice(0, 4);

const numberOf = (degrees: string | undefined): number | undefined => (degrees === undefined ? undefined : Number(degrees));

const given = <Members extends object>(members: Members): Partial<Members> | undefined => {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Partial<Members>);
};

/** Sends two names instead of the printed name if the joined name is too long for that field. */
const holderOf = ({ holder }: Card, { request: { texts } }: PerformedOrder) => {
  const { firstName, lastName } = texts?.payer.reveal() ?? {};
  const isJoined = firstName !== undefined && lastName !== undefined && `${firstName} ${lastName}`.trim() === holder;
  return isJoined && holder.length > NAME_CHARACTERS_MAX ? { firstName, lastName } : { printedName: holder };
};

const cardOf = (order: PerformedOrder) => {
  const card = order.request.card.reveal();
  return {
    number: card.number,
    securityCode: order.cvv.reveal(),
    expiry: { month: card.expiryMonth, year: card.expiryYear },
    holder: holderOf(card, order),
  };
};

const fundsOf = (order: PerformedOrder): object => {
  const card = cardOf(order);
  if (order.operation === 'verification') return { sourceCard: card };
  const { destination } = order;
  return {
    sourceOfFunds: { card },
    ...(destination && { destinationOfFunds: { card: { number: destination.reveal().number } } }),
  };
};

/**
 * The body of a perform (interface, section 4.5); it contains a card. The invoice is the attempt's key, because the gateway accepts an
 * invoice only once.
 */
export const performFields = (account: DeviceAccount, order: PerformedOrder): object => {
  const { operation, request, currency, amount, device } = order;
  const { key: invoiceId, texts } = request;
  const { serialNumber, imei, ipAddresses, latitude, longitude, street2 } = device;
  const payer = texts?.payer.reveal() ?? {};
  const purchase = texts?.purchase.reveal() ?? {};
  const { accessToken, nonce } = deviceSession(account, operation, invoiceId, serialNumber);
  const signed = { accessToken, serialNumber, endpointId: account.endpointId, nonce, invoiceId, currency };
  const signature =
    amount === undefined
      ? verificationSignature(signed, account.controlKey)
      : paymentSignature({ ...signed, amountCentis: Number(amount.minor) }, account.controlKey);
  const address = given({
    city: payer.city,
    country: payer.country && alpha3Of(payer.country),
    postcodeZip: payer.zipCode,
    state: payer.state,
    street: payer.address1,
    street2,
  });
  return {
    consumer: { device: { serialNumber, imei }, ipAddresses, email: payer.email, birthDay: birthDayOf(payer.birthday) },
    session: { accessToken, nonce, signature },
    location: given({ lat: numberOf(latitude), lng: numberOf(longitude) }),
    billing: given({ address, phone: payer.phone }),
    order: given({ description: purchase.description, siteUrl: purchase.siteUrl, purpose: purchase.purpose }),
    transaction: { currency, ...(amount !== undefined && { amountCentis: Number(amount.minor) }) },
    ...fundsOf(order),
  };
};
