import type { Clock, Scheduler } from '@app/kernel';
import { EGRESS_DEADLINE_MS, type Egress, type EgressOutcome, type EgressRequest } from '@app/egress';

/** What a merchant's server does with one call. It has heard of the fact in all but `down`. */
export type Reaction =
  | { readonly kind: 'answers'; readonly status: number }
  | { readonly kind: 'down' }
  /** It took the call, and the connection broke before its answer. */
  | { readonly kind: 'answer-lost' }
  | { readonly kind: 'hangs' };

export const answers = (status: number): Reaction => ({ kind: 'answers', status });

export interface HeardCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly atMs: number;
  readonly reaction: Reaction;
}

/** Merchants' servers behind the egress port, for tests: what they do is the test's to say, what they heard is kept. */
export class FakeMerchants implements Pick<Egress, 'send'> {
  readonly calls: HeardCall[] = [];
  readonly #time: Clock & Scheduler;
  readonly #react: (request: EgressRequest, callNumber: number) => Reaction;

  /** `callNumber` counts all calls, from 1. */
  constructor(time: Clock & Scheduler, react: (request: EgressRequest, callNumber: number) => Reaction) {
    this.#time = time;
    this.#react = react;
  }

  /** What reached a server, in order. */
  get heard(): readonly HeardCall[] {
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
