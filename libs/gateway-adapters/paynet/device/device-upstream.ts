import type { CallLimit } from '../../contract';
import type { GateClient } from '../../client';
import type { UpstreamRequest } from '../wire/upstream-request';
import type { UpstreamReply } from '../upstream';

/** The device interface of the upstream gateway over HTTP: its failures have bodies under any HTTP code (protocol decisions, section 8). */
export class DeviceUpstream {
  constructor(private readonly client: Pick<GateClient, 'send'>) {}

  /** Sends a request once at most. */
  async send(request: UpstreamRequest, limit: CallLimit): Promise<UpstreamReply> {
    const reply = await this.client.send(request, limit);
    if (reply.kind === 'not-sent') return { kind: 'not-sent' };
    if (reply.kind === 'lost') return reply;
    return { kind: 'answered', body: reply.body };
  }
}
