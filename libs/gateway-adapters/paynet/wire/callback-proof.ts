import { callbackControl, isControl, isWebhookAuthentic, type ControlKey, type WebhookHeaders } from '@app/gateway-protocol';
import { present, type Instant, type Secret } from '@app/kernel';
import type { InboundRequest } from '../../contract';
import type { AnswerFields } from './answer-fields';

/** What the upstream gateway signs its callbacks with. */
export interface CallbackProof {
  readonly controlKey: ControlKey;
  /** Where there is one, its signature is the only proof: the control leaves out the amount (protocol decisions, section 6). */
  readonly secret?: Secret<string>;
}

const webhookHeadersOf = ({ headers }: InboundRequest): Partial<WebhookHeaders> =>
  present({
    'webhook-id': headers.get('webhook-id'),
    'webhook-timestamp': headers.get('webhook-timestamp'),
    'webhook-signature': headers.get('webhook-signature'),
  });

/** Whether the upstream gateway sent it. The signature of a GET covers the members as its query has them. */
export const isFromUpstream = (
  request: InboundRequest,
  fields: AnswerFields,
  { secret, controlKey }: CallbackProof,
  now: Instant,
): boolean => {
  if (secret !== undefined) {
    const signed = request.method === 'GET' ? request.rawQuery : request.body;
    return isWebhookAuthentic(webhookHeadersOf(request), signed, secret, now);
  }
  const [status, orderId, clientOrderId, control] = ['status', 'paynet-order-id', 'merchant-order-id', 'control'].map((name) =>
    fields.get(name),
  );
  if (status === undefined || orderId === undefined || clientOrderId === undefined || control === undefined) return false;
  return isControl(callbackControl({ status, orderId, clientOrderId }, controlKey), control);
};
