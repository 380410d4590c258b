import {
  isDeviceSignature,
  merchantPath,
  NotificationResponse,
  notificationSignature,
  type ControlKey,
  type DeviceOperation,
} from '@app/gateway-protocol';
import type { EgressRequest } from '../egress';
import { readAnswer, serverCall } from './server-call';

/** A card and what it was mapped to. */
export interface ToldCard {
  /** The merchant server's name for it: the cardrefid. */
  readonly serverCardId: string;
  /** The card number's, per merchant. */
  readonly uniqueReferenceCardId: number;
  readonly bin: string;
}

/** What a merchant server is told of an approved order's cards (interface, section 4.8). */
export interface MappingNotification {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly nonce: string;
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly token: string;
  readonly source: ToldCard;
  /** Of a transfer. */
  readonly destination?: ToldCard;
}

const mapped = ({ bin, serverCardId, uniqueReferenceCardId }: ToldCard) => ({
  bin: Number(bin),
  reference: { serverCardId, uniqueReferenceCardId },
});

const messageOf = ({ operation, serialNumber, accessToken, token, source, destination }: MappingNotification): object => {
  const common = { consumer: { device: { serialNumber } }, session: { accessToken, token } };
  const sourceCard = mapped(source);
  if (operation === 'verification') return { ...common, reference: sourceCard.reference, sourceCard: { bin: sourceCard.bin } };
  return { ...common, sourceCard, ...(destination && { destinationCard: mapped(destination) }) };
};

/** One try, the same bytes each time. */
export const notificationRequest = (notification: MappingNotification, merchantUrl: string, deadlineMs?: number): EgressRequest =>
  serverCall(merchantUrl, merchantPath.notification(notification.operation), messageOf(notification), deadlineMs);

/** Of an answer with HTTP 200: whether it acknowledges this notification, by a signature over our own values (protocol decisions, section 8). */
export const isAcknowledged = (
  { nonce, endpointId, invoiceId, token }: MappingNotification,
  body: string,
  controlKey: ControlKey,
): boolean => {
  const response = readAnswer(NotificationResponse, body);
  if (response === undefined) return false;
  const { checkSignature, nonce: echoedNonce, token: echoedToken } = response.session;
  const isSigned = isDeviceSignature(notificationSignature({ nonce, endpointId, invoiceId }, controlKey), checkSignature);
  return isSigned && response.invoiceId === invoiceId && echoedNonce === nonce && echoedToken === token;
};
