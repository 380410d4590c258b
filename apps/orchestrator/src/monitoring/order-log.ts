import { VaultUnavailable } from '@app/card-vault';
import { parseDeliveryKey, type TriedCallback } from '@app/deliveries';
import { OutcomeUnknown, StoreUnavailable, traceIdOf, type AnyEvent, type CallerTrace, type WorkItem } from '@app/event-store';
import { storeAddress, type OrchestratorEnvironment } from '@app/configuration';
import { aboutOrder, OrderWorkFailed, type GateCall, type OpenOrder } from '@app/order-processing';
import type { AboutWork } from '@app/order-processing/order-processing.tokens';
import { isContradiction, isFollowUpEvent } from '@app/order-processing/domain';
import type { ServiceLog } from '@app/http-server';

type Line = Readonly<Record<string, unknown>>;

/** A line's members, with the trace of the caller, where there is one, as logs name it. */
export const withTrace = ({ callerTrace, ...line }: Line & { readonly callerTrace?: CallerTrace | undefined }): Line =>
  callerTrace === undefined ? line : { ...line, trace: traceIdOf(callerTrace) };

/** Ends that say nothing was moved and that nobody wanted. */
const FAILURES: ReadonlySet<string> = new Set(['OrderFailed', 'FollowUpFailed']);

const codeOf = (event: AnyEvent): unknown => (event.data as { readonly code?: unknown }).code;

/**
 * The lines about orders, their gates and their callbacks: each names order, request and delivery as far as they are known, and the cause; where a
 * store was away, where that lies.
 */
export class OrderLog {
  readonly #log: ServiceLog;
  readonly #places: { readonly events: string; readonly vault: string };

  constructor(log: ServiceLog, { eventStore, vault }: Pick<OrchestratorEnvironment, 'eventStore' | 'vault'>) {
    this.#log = log;
    this.#places = { events: storeAddress(eventStore), vault: storeAddress(vault) };
  }

  workFailed(about: AboutWork, error: unknown): void {
    const isOrders = error instanceof OrderWorkFailed;
    const cause: unknown = isOrders ? error.cause : error;
    this.#log.failure('order.work-failed', cause, withTrace({ ...about, ...(isOrders && error.about), ...this.#placeOf(cause) }));
  }

  /** A look at a reactor's memory, or the sweep of cards without an order: no order's. */
  upkeepFailed(task: string, error: unknown): void {
    this.#log.failure('upkeep.failed', error, { task, ...this.#placeOf(error) });
  }

  deliveryFailed({ key, stream, merchant }: WorkItem, error: unknown): void {
    const { factId, target } = parseDeliveryKey(key);
    this.#log.failure('callback.work-failed', error, { deliveryId: factId, target, stream, merchant, ...this.#placeOf(error) });
  }

  callbackTried(tried: TriedCallback): void {
    if (tried.outcome !== 'delivered') this.#log.warning('callback.failed', withTrace({ ...tried }));
  }

  gateFailed(call: Partial<GateCall>, error: unknown): void {
    this.#log.failure('gate.call-failed', error, withTrace({ ...call, ...this.#placeOf(error) }));
  }

  gateAnsweredLate(call: GateCall, answer: string): void {
    this.#log.warning('gate.answered-late', withTrace({ ...call, answer }));
  }

  /** What an append made of an order, where somebody should know it. */
  moved(order: OpenOrder, events: readonly AnyEvent[]): void {
    for (const event of events) {
      const isFailure = FAILURES.has(event.type);
      if (!isFailure && !isContradiction(event)) continue;
      const about = isFollowUpEvent(event)
        ? { ...aboutOrder(order, order.traceOf(event.data.number)), followUp: event.data.number }
        : aboutOrder(order);
      if (isFailure) this.#log.warning('order.failed', withTrace({ ...about, cause: event.type, code: codeOf(event) }));
      else this.#log.warning('order.gate-contradicts', withTrace({ ...about, gate: gateOf(order), cause: event.type, ...toldIn(event) }));
    }
  }

  #placeOf(error: unknown): { readonly store?: string } {
    if (error instanceof StoreUnavailable || error instanceof OutcomeUnknown) return { store: this.#places.events };
    return error instanceof VaultUnavailable ? { store: this.#places.vault } : {};
  }
}

const gateOf = ({ processing: { attempts } }: OpenOrder): string | undefined => (attempts.status === 'none' ? undefined : attempts.gate);

/** What was believed and what the gate said, where the event tells that. */
const toldIn = ({ data }: AnyEvent): object => {
  const { believed, told, transactionId } = data as { readonly believed?: string; readonly told?: string; readonly transactionId?: string };
  return { ...(believed !== undefined && { believed, told, transactionId }) };
};
