import {
  notificationSignature,
  readDeviceBody,
  SaleNotification,
  TransferNotification,
  VerificationNotification,
  type MappedCard,
  type Validated,
} from '@app/gateway-protocol';
import type { CardsRequest, GatewayCard } from '../application/record-cards.handler';
import type { MerchantServerOperation, InvoiceId } from '../domain/terms';
import { answered, FORBIDDEN, forbidden, invalid, type MerchantServerAnswer, type MerchantServerRequest } from './request';
import type { MountableMerchantServer } from './mountable-merchant-server';

type NotificationFields = Pick<SaleNotification, 'consumer' | 'session'> & Pick<CardsRequest, 'cards'>;

const cardOf = ({ bin, reference }: MappedCard): GatewayCard => ({
  bin,
  serverCardId: reference.serverCardId,
  uniqueReferenceCardId: String(reference.uniqueReferenceCardId),
});
const optional = (card: MappedCard | undefined): GatewayCard | undefined => (card === undefined ? undefined : cardOf(card));

const fieldsOf = <Message extends Omit<NotificationFields, 'cards'>>(
  read: Validated<Message>,
  cards: (message: Message) => CardsRequest['cards'],
): Validated<NotificationFields> =>
  'refused' in read ? read : { ok: { consumer: read.ok.consumer, session: read.ok.session, cards: cards(read.ok) } };

const READERS: Readonly<Record<MerchantServerOperation, (body: Uint8Array) => Validated<NotificationFields>>> = {
  verification: (body) =>
    fieldsOf(readDeviceBody(VerificationNotification, body), ({ sourceCard, reference }) => ({
      source: cardOf({ ...sourceCard, reference }),
    })),
  sale: (body) => fieldsOf(readDeviceBody(SaleNotification, body), ({ sourceCard }) => ({ source: optional(sourceCard) })),
  transfer: (body) =>
    fieldsOf(readDeviceBody(TransferNotification, body), ({ sourceCard, destinationCard }) => ({
      source: optional(sourceCard),
      destination: optional(destinationCard),
    })),
};

export const notification = async (
  { notificationProof, recordCards }: Pick<MountableMerchantServer, 'notificationProof' | 'recordCards'>,
  operation: MerchantServerOperation,
  request: MerchantServerRequest,
): Promise<MerchantServerAnswer> => {
  if (!notificationProof.isGiven(request)) return forbidden('notification-not-signed');
  const { product, body, invoiceId: named } = request;
  const read = READERS[operation](body);
  if ('refused' in read) return invalid(read.refused.message);
  const { consumer, session, cards } = read.ok;
  const { accessToken, nonce: echoed, token } = session;
  const { serialNumber } = consumer.device;
  const result = await recordCards.handle({
    product,
    operation,
    invoiceId: named as InvoiceId | undefined,
    serialNumber,
    accessToken,
    nonce: echoed,
    token,
    cards,
  });
  if (result.kind === 'forbidden') return FORBIDDEN;
  if (result.kind === 'order-not-approved') return forbidden(result.kind);
  const { invoiceId, endpointId, nonce } = result;
  const checkSignature = notificationSignature({ nonce, endpointId, invoiceId }, product.controlKey);
  return answered({ invoiceId, session: { checkSignature, nonce, token } });
};
