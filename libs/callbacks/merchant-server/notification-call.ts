import {
  isDeviceSignature,
  merchantPath,
  NotificationResponse,
  notificationSignature,
  webhookHeaders,
  type ControlKey,
  type DeviceOperation,
} from '@app/gateway-protocol';
import { eventId, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { callbackSecretsAt, type Merchant } from '@app/configuration';
import type { EgressRequest } from '@app/http/client';
import { readAnswer, serverCall } from './server-call';

export interface NotifiedCard {
  /** The card's id at the merchant server: the cardrefid. */
  readonly serverCardId: string;
  /** Identifies the card number, per merchant. */
  readonly uniqueReferenceCardId: number;
  readonly bin: string;
}

/** Notifies a merchant server of an approved order's cards (interface, section 4.8). */
export interface MappingNotification {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly nonce: string;
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly token: string;
  readonly source: NotifiedCard;
  readonly destination?: NotifiedCard;
}

const mapped = ({ bin, serverCardId, uniqueReferenceCardId }: NotifiedCard) => ({
  bin: Number(bin),
  reference: { serverCardId, uniqueReferenceCardId },
});

const messageOf = ({ operation, serialNumber, accessToken, nonce, token, source, destination }: MappingNotification): object => {
  const common = { consumer: { device: { serialNumber } }, session: { accessToken, nonce, token } };
  const sourceCard = mapped(source);
  if (operation === 'verification') return { ...common, reference: sourceCard.reference, sourceCard: { bin: sourceCard.bin } };
  return { ...common, sourceCard, ...(destination && { destinationCard: mapped(destination) }) };
};

/** Derived from the order, which has one card mapping: the first attempt precedes the event of the order's end. */
const notificationId = (order: StreamName): string => eventId(order, 'notification', 0);

export interface NotificationTry {
  readonly order: StreamName;
  readonly now: Instant;
  readonly deadlineMs?: number;
}

/**
 * Every attempt has the same body; only headers contain its time. The signature proves the sender, because the app knows both tokens too.
 */
export const notificationRequest = (
  notification: MappingNotification,
  { merchantUrl, callback }: { readonly merchantUrl: string } & Pick<Merchant, 'callback'>,
  { order, now, deadlineMs }: NotificationTry,
): EgressRequest => {
  const body = JSON.stringify(messageOf(notification));
  const headers = { ...webhookHeaders(notificationId(order), now, body, ...callbackSecretsAt(callback, now)) };
  return serverCall(merchantUrl, merchantPath.notification(notification.operation), body, { deadlineMs, headers });
};

/** Whether an HTTP 200 body acknowledges this notification, by a signature over the gateway's values (protocol decisions, section 8). */
export const isAcknowledged = (
  { nonce, endpointId, invoiceId, token }: MappingNotification,
  body: string,
  controlKeys: readonly ControlKey[],
): boolean => {
  const response = readAnswer(NotificationResponse, body);
  if (response === undefined) return false;
  const { checkSignature, nonce: echoedNonce, token: echoedToken } = response.session;
  const isSigned = controlKeys.some((key) =>
    isDeviceSignature(notificationSignature({ nonce, endpointId, invoiceId }, key), checkSignature),
  );
  return isSigned && response.invoiceId === invoiceId && echoedNonce === nonce && echoedToken === token;
};
