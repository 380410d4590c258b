import type { Scheduler } from '@app/kernel';
import { checkedConnector } from './checked-connector';
import { Exchange } from './exchange';
import { nameServerResolution, sharedResolution, type ResolveName } from './name-resolution';
import { OriginPools, type CallLimits } from './origin-pools';
import type { EgressOutcome } from './outcome';
import type { AddressSource, EgressPolicy } from './policy';
import { checkUrlAtAcceptance } from './url-check';

/** From the first name asked for to the last byte of the answer (safety, F31). */
export const EGRESS_DEADLINE_MS = 10_000;

export interface EgressRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly source: AddressSource;
  /** Encoded; appended to the address's own query. The limit on an address's length does not count it. */
  readonly query?: string;
  /** Names in lower case. The port itself sets host, length, connection and accept-encoding. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Replaces the port's deadline, for calls whose wait is a setting. */
  readonly deadlineMs?: number;
  /** `status`: the call is answered by its status, whatever becomes of the rest of the answer, and has no body. */
  readonly needs?: 'status' | 'whole-answer';
}

/** The one port through which every call to a merchant's address goes (safety, T16). */
export interface Egress {
  /** One try: no redirect, no repetition. Never throws; every way to end is an outcome. */
  send(request: EgressRequest): Promise<EgressOutcome>;
  /** Accepts no more calls and resolves when those under way have ended, each within its deadline. */
  close(): Promise<void>;
}

export interface EgressOptions {
  readonly policy: EgressPolicy;
  readonly scheduler: Scheduler;
  /** The name servers of the system where it is absent. */
  readonly resolveName?: ResolveName;
  /** Certificate authorities in PEM, in place of those that Node trusts. */
  readonly trustedAuthorities?: string;
  /** Replaces EGRESS_DEADLINE_MS, for checks whose wait is a setting. */
  readonly deadlineMs?: number;
  /** Replaces CALL_LIMITS, for a caller that keeps to limits of its own. */
  readonly limits?: CallLimits;
}

/** How long the rest of an answer is read if its status was enough, so that the socket can be used again. */
const REST_MS_MAX = 1_000;
const USER_AGENT = 'payment-orchestrator';
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
]);

const headersOf = (given: Readonly<Record<string, string>>): Record<string, string> => ({
  'user-agent': USER_AGENT,
  ...Object.fromEntries(Object.entries(given).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))),
  'accept-encoding': 'identity',
});

const pathOf = ({ pathname, search }: URL, query: string | undefined): string => {
  if (query === undefined) return `${pathname}${search}`;
  return search === '' ? `${pathname}?${query}` : `${pathname}${search}&${query}`;
};

export const openEgress = (options: EgressOptions): Egress => {
  const { policy, scheduler, resolveName = nameServerResolution(), deadlineMs = EGRESS_DEADLINE_MS } = options;
  const pools = new OriginPools(checkedConnector({ ...options, resolveName: sharedResolution(resolveName) }), options.limits);
  let isClosed = false;

  const send = async (request: EgressRequest): Promise<EgressOutcome> => {
    if (isClosed) return { kind: 'not-sent', cause: 'closed' };
    const target = checkUrlAtAcceptance(request.url, policy, request.source);
    if (target.kind === 'refused') return { kind: 'refused-target', reason: target.reason };
    const slot = pools.acquire(target.url.origin);
    if (slot === undefined) return { kind: 'not-sent', cause: 'overloaded' };
    const { method, query, headers, body = null, needs } = request;
    return new Promise((resolve) => {
      const end = (outcome: EgressOutcome): void => {
        deadline.cancel();
        slot.release();
        resolve(outcome);
      };
      const onStatus = (status: number): void => {
        deadline.cancel();
        deadline = scheduler.after(REST_MS_MAX, () => exchange.abort());
        resolve({ kind: 'answered', status });
      };
      const exchange = new Exchange(end, needs === 'status' ? onStatus : undefined);
      // The caller gets its outcome at once; the client ends a call only when its connection is made or has failed, and the slot is held until then.
      let deadline = scheduler.after(request.deadlineMs ?? deadlineMs, () => {
        resolve({ kind: 'timed-out' });
        exchange.abort();
      });
      slot.pool.dispatch({ method, path: pathOf(target.url, query), headers: headersOf(headers), body }, exchange);
    });
  };

  return {
    send,
    close: () => {
      isClosed = true;
      return pools.close();
    },
  };
};
