import type { Clock, Scheduler } from '@app/kernel';
import { EGRESS_DEADLINE_MS, type Egress, type EgressOutcome, type EgressRequest } from '@app/http/client';

/** The server receives the call in all cases except `down`. */
export type Reaction =
  | { readonly kind: 'answers'; readonly status: number }
  | { readonly kind: 'down' }
  | { readonly kind: 'answer-lost' }
  | { readonly kind: 'hangs' };

export const answers = (status: number): Reaction => ({ kind: 'answers', status });

export interface ReceivedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly atMs: number;
  readonly reaction: Reaction;
}

export class FakeMerchants implements Pick<Egress, 'send'> {
  readonly calls: ReceivedCall[] = [];
  readonly #time: Clock & Scheduler;
  readonly #react: (request: EgressRequest, callNumber: number) => Reaction;

  constructor(time: Clock & Scheduler, react: (request: EgressRequest, callNumber: number) => Reaction) {
    this.#time = time;
    this.#react = react;
  }

  get received(): readonly ReceivedCall[] {
    return this.calls.filter(({ reaction }) => reaction.kind !== 'down');
  }

  send(request: EgressRequest): Promise<EgressOutcome> {
    const reaction = this.#react(request, this.calls.length + 1);
    const { url, headers, body = '' } = request;
    this.calls.push({ url, headers, body, atMs: this.#time.now(), reaction });
    switch (reaction.kind) {
      case 'answers':
        return Promise.resolve({ kind: 'answered', status: reaction.status });
      case 'down':
        return Promise.resolve({ kind: 'connection-failed', code: 'ECONNREFUSED' });
      case 'answer-lost':
        return Promise.resolve({ kind: 'connection-failed', code: 'UND_ERR_SOCKET' });
      case 'hangs':
        return new Promise((resolve) => {
          this.#time.after(EGRESS_DEADLINE_MS, () => resolve({ kind: 'timed-out' }));
        });
    }
  }
}
