import type { CallLimit } from '@app/gateway-adapters/contract';
import type { GateClient } from '@app/gateway-adapters/client';
import type { Upstream, UpstreamReply } from './upstream';
import type { UpstreamRequest } from './wire/upstream-request';

/** Of every answer to an operation, also of one that refuses it (interface, section 2; protocol decisions, section 3). */
const ANSWERED = 200;

/** The upstream gateway over HTTP. */
export class HttpUpstream implements Upstream {
  constructor(private readonly client: Pick<GateClient, 'send'>) {}

  async send(request: UpstreamRequest, limit: CallLimit): Promise<UpstreamReply> {
    const reply = await this.client.send(request, limit);
    if (reply.kind === 'not-sent') return { kind: 'not-sent' };
    if (reply.kind === 'lost') return reply;
    // Of another status its text says nothing of an order: a proxy's page, a redirect, a refusal before the gateway read the request, or after.
    return reply.status === ANSWERED ? { kind: 'answered', body: reply.body } : { kind: 'lost', cause: 'malformed' };
  }
}
