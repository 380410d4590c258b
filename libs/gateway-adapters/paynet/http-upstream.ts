import type { CallLimit } from '../contract';
import type { GateClient } from '../client';
import type { Upstream, UpstreamReply } from './upstream';
import { readAnswer } from './wire/answer-fields';
import type { UpstreamRequest } from './wire/upstream-request';

/** Of every answer to an operation, also of one that refuses it (interface, section 2; protocol decisions, section 3). */
const ANSWERED = 200;

/** Some gateways of the family refuse a request with a status of its own. A page of a proxy is no such answer. */
const isRefusal = ({ status, body }: { readonly status: number; readonly body: string }): boolean => {
  const type = status >= 400 && status < 500 ? readAnswer(body)?.get('type') : undefined;
  return type === 'validation-error' || type === 'error';
};

/** The upstream gateway over HTTP. */
export class HttpUpstream implements Upstream {
  constructor(private readonly client: Pick<GateClient, 'send'>) {}

  async send(request: UpstreamRequest, limit: CallLimit): Promise<UpstreamReply> {
    const reply = await this.client.send(request, limit);
    if (reply.kind === 'not-sent') return { kind: 'not-sent' };
    if (reply.kind === 'lost') return reply;
    // Of another status its text says nothing of an order: a proxy's page, a redirect, a failure before the gateway read the request, or after.
    return reply.status === ANSWERED || isRefusal(reply) ? { kind: 'answered', body: reply.body } : { kind: 'lost', cause: 'malformed' };
  }
}
