import { Secret, type Card, type DestinationCard } from '@app/kernel';
import type { PayingCard, PerformSaleRequest, PerformTransferRequest, PerformVerificationRequest } from '@app/gateway-protocol';
import { ADDRESS_SEPARATOR, billingTexts, birthdayOf, holderName } from '@app/merchant-server-client';
import type { Customer, DeviceTexts, OrderDetails } from '@app/order-processing/domain';

export type PerformMessage = PerformVerificationRequest | PerformSaleRequest | PerformTransferRequest;

/** The card that receives; undefined where a reference does. */
export const receivingCardIn = (message: PerformMessage): Secret<DestinationCard> | undefined => {
  const card = 'destinationOfFunds' in message ? message.destinationOfFunds.card : undefined;
  return card && new Secret({ number: card.number });
};

/** The card that pays, whole; undefined where a reference does. */
export const payingCardIn = (message: PerformMessage): PayingCard | undefined =>
  'sourceCard' in message ? message.sourceCard : message.sourceOfFunds.card;

export const cardIn = (message: PerformMessage): Secret<Card> | undefined => {
  const card = payingCardIn(message);
  if (card === undefined) return undefined;
  const { number, expiry, holder } = card;
  return new Secret({ number, expiryMonth: expiry.month, expiryYear: expiry.year, holder: holderName(holder) });
};

export const securityCodeIn = (message: PerformMessage): Secret<string> | undefined => {
  const code = 'sourceCard' in message ? message.sourceCard.securityCode : codeOfFunds(message);
  return code === undefined ? undefined : new Secret(code);
};

const codeOfFunds = ({ sourceOfFunds: { card, reference } }: PerformSaleRequest): string | undefined =>
  card === undefined ? reference?.securityCode : card.securityCode;

/** Message to order, member by member: what is not named here is never stored (safety, T24). */
export const customerIn = (message: PerformMessage): Partial<Customer> => {
  const { email, birthDay } = message.consumer;
  const holder = payingCardIn(message)?.holder;
  return {
    ...(holder && { holder: holderName(holder) }),
    ...(holder?.firstName !== undefined && { firstName: holder.firstName }),
    ...(holder?.lastName !== undefined && { lastName: holder.lastName }),
    ...(email !== undefined && { email }),
    ...billingTexts(message.billing ?? {}),
    ...(birthDay !== undefined && { birthday: birthdayOf(birthDay) }),
  };
};

export const detailsIn = ({ order = {}, consumer: { ipAddresses = [] } }: PerformMessage): Partial<OrderDetails> => ({
  ...(order.description !== undefined && { description: order.description }),
  ...(ipAddresses[0] !== undefined && { ipAddress: ipAddresses[0] }),
  ...(order.siteUrl !== undefined && { siteUrl: order.siteUrl }),
  ...(order.purpose !== undefined && { purpose: order.purpose }),
});

/** All that the check must echo, and what else the app told of the device; the token is made by whoever takes the order. */
export const deviceTextsIn = (message: PerformMessage): Omit<DeviceTexts, 'token'> => {
  const { consumer, session, location = {}, billing } = message;
  const { serialNumber, imei } = consumer.device;
  const source = 'sourceOfFunds' in message ? message.sourceOfFunds.reference?.clientCardId : undefined;
  const destination = 'destinationOfFunds' in message ? message.destinationOfFunds.reference?.clientCardId : undefined;
  const street2 = billing?.address?.street2;
  return {
    accessToken: session.accessToken,
    nonce: session.nonce,
    signature: session.signature,
    serialNumber,
    ...(source !== undefined && { sourceClientCardId: source }),
    ...(destination !== undefined && { destinationClientCardId: destination }),
    ...(imei !== undefined && { imei }),
    ...(consumer.ipAddresses !== undefined && { ipAddresses: consumer.ipAddresses.join(ADDRESS_SEPARATOR) }),
    ...(location.lat !== undefined && { latitude: String(location.lat) }),
    ...(location.lng !== undefined && { longitude: String(location.lng) }),
    ...(street2 !== undefined && { street2 }),
  };
};
