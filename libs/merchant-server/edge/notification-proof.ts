import type { Clock } from '@app/kernel';
import { isWebhookAuthentic } from '@app/gateway-protocol';
import type { MerchantServerRequest } from './request';

/**
 * Whether a card mapping notification is the gateway's: an app knows every other value in it, and could otherwise register a card that no order
 * proved. Where the product has a `callback.secret` its signature must cover the body, near the time of its headers; where it has none, every
 * notification is accepted outside production, and in production none unless `unsignedNotifications` allows it. A notification replayed within that
 * time was recorded before, and changes nothing.
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
