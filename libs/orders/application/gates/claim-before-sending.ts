import { addMs, sleep, type Clock, type Instant, type Monotonic, type Scheduler } from '@app/kernel';
import { backOffMs, OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { LEAVES_WITHIN_MS } from '../../domain';
import type { Claim, OpenOrder, OrderContexts } from '../order-context';

const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 2_000;

export interface ClaimBeforeSendingPorts {
  readonly contexts: Pick<OrderContexts, 'open'>;
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

export interface Claiming {
  /** Appends the claim, which names this moment. */
  readonly first: (now: Instant) => Promise<Claim>;
  /** Undefined unless this process made the claim and its outcome is open. */
  readonly sentAtOf: (order: OpenOrder) => Instant | undefined;
  readonly renew: (order: OpenOrder, sentAt: Instant, now: Instant) => Promise<Claim>;
  /** With a CVV, as long as the CVV may be kept. */
  readonly withinMs: number;
}

export type ClaimBeforeSendingResult =
  | { readonly kind: 'held'; readonly order: OpenOrder }
  /** Nothing has left and nothing will: the log was too slow. */
  | { readonly kind: 'given-up'; readonly order: OpenOrder }
  | { readonly kind: 'not-held'; readonly order: OpenOrder };

/**
 * Claims a request by exact revision before it is sent. If the log was slow or its answer was lost, the process that knows that nothing left renews
 * its claim until it is young enough. A process that does not know never sends.
 */
export class ClaimBeforeSending {
  constructor(private readonly ports: ClaimBeforeSendingPorts) {}

  /** @throws StoreUnavailable nothing is claimed, or it is unknown; and other store errors */
  async hold(from: OpenOrder, { first, sentAtOf, renew, withinMs }: Claiming): Promise<ClaimBeforeSendingResult> {
    const { clock, monotonic } = this.ports;
    const begunMs = monotonic.elapsedMs();
    const isOver = (): boolean => monotonic.elapsedMs() - begunMs > withinMs;
    let claim = (now: Instant): Promise<Claim> => first(now);
    for (let tried = 1; ; tried++) {
      const isFirst = tried === 1;
      const claimedAt = clock.now();
      const claimedMs = monotonic.elapsedMs();
      const claimed = await this.known(() => claim(claimedAt), isFirst);
      if (isFirst && claimed !== undefined && claimed.kind !== 'appended') return { kind: 'not-held', order: from };
      const order = claimed?.kind === 'appended' ? claimed.order : await this.open(from, isOver);
      const sentAt = sentAtOf(order);
      if (sentAt === undefined) {
        // The claim may yet be stored, and no other process would send it: claim the same revision again.
        const isOnItsWay = claimed?.kind !== 'refused' && order.causation === from.causation;
        if (!isOnItsWay || isOver()) return { kind: 'not-held', order };
        await sleep(this.ports.scheduler, backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
        continue;
      }
      // Both clocks are checked: the monotonic one stops while the machine is suspended, the wall clock may be set.
      const isYoung = monotonic.elapsedMs() - claimedMs <= LEAVES_WITHIN_MS && clock.now() <= addMs(sentAt, LEAVES_WITHIN_MS);
      if (sentAt === claimedAt && isYoung) return { kind: 'held', order };
      if (isOver()) return { kind: 'given-up', order };
      claim = (now) => renew(order, sentAt, now);
    }
  }

  /** Undefined if only the stream can show whether the claim was stored. */
  private async known(claim: () => Promise<Claim>, isFirst: boolean): Promise<Claim | undefined> {
    try {
      return await claim();
    } catch (error) {
      if (error instanceof OutcomeUnknown || (!isFirst && error instanceof StoreUnavailable)) return undefined;
      throw error;
    }
  }

  private async open({ stream }: OpenOrder, isOver: () => boolean): Promise<OpenOrder> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.ports.contexts.open(stream);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || isOver()) throw error;
        await sleep(this.ports.scheduler, backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
      }
    }
  }
}
