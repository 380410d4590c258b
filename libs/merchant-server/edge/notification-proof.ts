import type { Clock } from '@app/kernel';
import { isWebhookAuthentic } from '@app/gateway-protocol';
import type { MerchantServerRequest } from './request';

/**
 * Whether a card mapping notification is the gateway's: an app knows all else that one must hold, and could give a card a name that no order of it
 * proved. Where the product has a `callback.secret` its signature must cover the body, near the time of its headers; where it has none, everything is
 * believed outside production, and in production nothing but what `unsignedNotifications` lets through. What is replayed within the time is what was
 * recorded already, and changes nothing.
 */
export class NotificationProof {
  constructor(
    private readonly isProduction: boolean,
    private readonly clock: Clock,
  ) {}

  isGiven({ product, header, body }: MerchantServerRequest): boolean {
    const { callbackSecret, unsignedNotifications = false } = product;
    if (callbackSecret === undefined) return unsignedNotifications || !this.isProduction;
    const [id, timestamp, signature] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')];
    const headers = {
      ...(id !== undefined && { 'webhook-id': id }),
      ...(timestamp !== undefined && { 'webhook-timestamp': timestamp }),
      ...(signature !== undefined && { 'webhook-signature': signature }),
    };
    return isWebhookAuthentic(headers, Buffer.from(body).toString('utf8'), callbackSecret, this.clock.now());
  }
}
