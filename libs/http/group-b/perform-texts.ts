import { present, Secret, type Card, type DestinationCard } from '@app/kernel';
import type { PayingCard, PerformSaleRequest, PerformTransferRequest, PerformVerificationRequest } from '@app/gateway-protocol';
import { billingTexts, birthdayOf, holderName } from '@app/callbacks';
import { ADDRESS_SEPARATOR, type Customer, type DeviceTexts, type OrderDetails } from '@app/orders/domain';

export type PerformMessage = PerformVerificationRequest | PerformSaleRequest | PerformTransferRequest;

export const receivingCardIn = (message: PerformMessage): Secret<DestinationCard> | undefined => {
  const card = 'destinationOfFunds' in message ? message.destinationOfFunds.card : undefined;
  return card && new Secret({ number: card.number });
};

const payingCardIn = (message: PerformMessage): PayingCard | undefined =>
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

/** Copies known members only, so that an unknown member is never stored (safety, T24). */
export const customerIn = (message: PerformMessage): Partial<Customer> => {
  const { email, birthDay } = message.consumer;
  const holder = payingCardIn(message)?.holder;
  return present({
    holder: holder && holderName(holder),
    firstName: holder?.firstName,
    lastName: holder?.lastName,
    email,
    ...billingTexts(message.billing ?? {}),
    birthday: birthDay === undefined ? undefined : birthdayOf(birthDay),
  });
};

export const detailsIn = ({ order = {}, consumer: { ipAddresses = [] } }: PerformMessage): Partial<OrderDetails> =>
  present({ description: order.description, ipAddress: ipAddresses[0], siteUrl: order.siteUrl, purpose: order.purpose });

/** The values that the check repeats to the merchant server, and other device data. */
export const deviceTextsIn = (message: PerformMessage): Omit<DeviceTexts, 'token'> => {
  const { consumer, session, location = {}, billing } = message;
  const { serialNumber, imei } = consumer.device;
  const source = 'sourceOfFunds' in message ? message.sourceOfFunds.reference?.clientCardId : undefined;
  const destination = 'destinationOfFunds' in message ? message.destinationOfFunds.reference?.clientCardId : undefined;
  return present({
    accessToken: session.accessToken,
    nonce: session.nonce,
    signature: session.signature,
    serialNumber,
    sourceClientCardId: source,
    destinationClientCardId: destination,
    imei,
    ipAddresses: consumer.ipAddresses?.join(ADDRESS_SEPARATOR),
    latitude: location.lat === undefined ? undefined : String(location.lat),
    longitude: location.lng === undefined ? undefined : String(location.lng),
    street2: billing?.address?.street2,
  });
};
