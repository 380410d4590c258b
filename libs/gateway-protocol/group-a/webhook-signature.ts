import { createHmac } from 'node:crypto';
import { addMs, type Instant, type Secret } from '@app/kernel';
import { isSameSecret } from '../shared/control-key';

/** Standard Webhooks. */
export const WEBHOOK_SECRET_BYTES_MIN = 24;
export const WEBHOOK_SECRET_BYTES_MAX = 64;
/** Maximum difference between the timestamp and the receiver's clock. */
export const WEBHOOK_TOLERANCE_MS = 300_000;
/** Signatures checked per header. A sender that rotates its secret sends two. */
const SIGNATURES_MAX = 10;

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const keyOf = (secret: string): Buffer | undefined => {
  const encoded = secret.slice(PREFIX.length);
  if (!secret.startsWith(PREFIX) || !BASE64.test(encoded)) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= WEBHOOK_SECRET_BYTES_MIN && key.length <= WEBHOOK_SECRET_BYTES_MAX ? key : undefined;
};

/** `whsec_` and base64 of 24 to 64 bytes. */
export const isWebhookSecret = (text: string): boolean => keyOf(text) !== undefined;

export interface WebhookHeaders {
  readonly 'webhook-id': string;
  /** Whole seconds since the epoch. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature'?: string;
}

const signatureOf = (id: string, timestamp: string, body: string, secret: Secret<string>): string => {
  const key = keyOf(secret.reveal());
  if (key === undefined) throw new Error('the webhook secret is not whsec_ and base64 of 24 to 64 bytes');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
};

/**
 * Headers of a delivery attempt, with one signature for each secret. The id is the same for all attempts, the time differs (protocol decisions, section 6).
 * @throws if the secret fails `isWebhookSecret`, which configuration checks
 */
export const webhookHeaders = (id: string, at: Instant, body: string, ...secrets: readonly Secret<string>[]): WebhookHeaders => {
  const timestamp = Math.floor(at / 1_000).toString();
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secrets.length === 0) return headers;
  return { ...headers, 'webhook-signature': secrets.map((secret) => signatureOf(id, timestamp, body, secret)).join(' ') };
};

/** For receivers: one signature must match, and the time must be close. */
export const isWebhookAuthentic = (headers: Partial<WebhookHeaders>, body: string, secret: Secret<string>, now: Instant): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined || !/^\d{1,12}$/.test(timestamp)) return false;
  const sentAt = addMs(0 as Instant, Number(timestamp) * 1_000);
  if (Math.abs(now - sentAt) > WEBHOOK_TOLERANCE_MS) return false;
  const expected = signatureOf(id, timestamp, body, secret);
  return signatures
    .split(' ', SIGNATURES_MAX)
    .map((signature) => isSameSecret(expected, signature))
    .includes(true);
};
