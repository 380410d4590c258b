import { VaultUnavailable } from '@app/card-vault';
import { parseDeliveryKey, type TriedCallback } from '@app/callbacks';
import { OutcomeUnknown, StoreUnavailable, traceIdOf, type AnyEvent, type CallerTrace, type WorkItem } from '@app/event-store';
import { storeAddress, type OrchestratorEnvironment } from '@app/configuration';
import {
  aboutOrder,
  OrderWorkFailed,
  type CircuitChange,
  type GateCall,
  type OpenOrder,
  type ReportedRequest,
  ORDER_NUMBERS_ALARM,
  type OrderNumbersUsed,
} from '@app/orders';
import type { AboutWork } from '@app/orders/orders.tokens';
import { isContradiction, isEventOf, needsAttention, reportKindOf, type DisputeEvent } from '@app/orders/domain';
import type { ServiceLog } from '@app/http/server';

type Line = Readonly<Record<string, unknown>>;

/** Log lines contain only the id of the caller's trace. */
export const withTrace = ({ callerTrace, ...line }: Line & { readonly callerTrace?: CallerTrace | undefined }): Line =>
  callerTrace === undefined ? line : { ...line, trace: traceIdOf(callerTrace) };

const OUTCOMES: Readonly<Record<string, { readonly event: string; readonly outcome: string }>> = {
  OrderApproved: { event: 'order.ended', outcome: 'approved' },
  OrderDeclined: { event: 'order.ended', outcome: 'declined' },
  OrderFiltered: { event: 'order.ended', outcome: 'filtered' },
  OrderFailed: { event: 'order.failed', outcome: 'failed' },
  AttemptUnknown: { event: 'order.outcome-unknown', outcome: 'unknown' },
};

/** The cause of an unknown outcome, or the event type of a failure. */
const causeOf = ({ type, data }: AnyEvent): unknown => (type === 'OrderFailed' ? type : (data as { readonly cause?: unknown }).cause);

const codeOf = (event: AnyEvent): unknown => (event.data as { readonly code?: unknown }).code;

export class OrderLog {
  readonly #log: ServiceLog;
  readonly #addresses: { readonly events: string; readonly vault: string };

  constructor(log: ServiceLog, { eventStore, vault }: Pick<OrchestratorEnvironment, 'eventStore' | 'vault'>) {
    this.#log = log;
    this.#addresses = { events: storeAddress(eventStore), vault: storeAddress(vault) };
  }

  workFailed(about: AboutWork, error: unknown): void {
    const isOrders = error instanceof OrderWorkFailed;
    const cause: unknown = isOrders ? error.cause : error;
    this.#log.failure('order.work-failed', cause, withTrace({ ...about, ...(isOrders && error.about), ...this.#addressOf(cause) }));
  }

  /** Work without an order failed: a search for work items, or the sweep of cards without an order. */
  upkeepFailed(task: string, error: unknown): void {
    this.#log.failure('upkeep.failed', error, { task, ...this.#addressOf(error) });
  }

  deliveryFailed({ key, stream, merchant }: WorkItem, error: unknown): void {
    const { factId, target } = parseDeliveryKey(key);
    this.#log.failure('callback.work-failed', error, { deliveryId: factId, target, stream, merchant, ...this.#addressOf(error) });
  }

  callbackTried(tried: TriedCallback): void {
    // An unavailable address has hundreds of attempts; only the first and the last are worth a line.
    const isTold = tried.tryNumber === 1 || tried.isExhausted;
    if (tried.outcome !== 'delivered' && isTold) this.#log.warning('callback.failed', withTrace({ ...tried }));
  }

  gateFailed(call: Partial<GateCall>, error: unknown): void {
    this.#log.failure('gate.call-failed', error, withTrace({ ...call, ...this.#addressOf(error) }));
  }

  gateAnsweredLate(call: GateCall, answer: string): void {
    this.#log.warning('gate.answered-late', withTrace({ ...call, answer }));
  }

  circuitTurned({ state, ...turn }: CircuitChange): void {
    if (state === 'open') this.#log.warning('gate.circuit-opened', turn);
    else this.#log.info('gate.circuit-closed', turn);
  }

  /** The gate reported an outcome under a key that is not in the log: money may have moved without a record. */
  gateReportNeverKnown(gate: string, { stream, key }: ReportedRequest): void {
    this.#log.warning('gate.report-never-known', { gate, ...(stream !== undefined && { stream }), attemptKey: key });
  }

  notificationFailed(about: { readonly gate: string; readonly stream?: string }, error: unknown): void {
    this.#log.failure('gate.notification-failed', error, { ...about, ...this.#addressOf(error) });
  }

  moved(order: OpenOrder, events: readonly AnyEvent[]): void {
    for (const event of events) {
      if (isEventOf(event, 'report')) {
        if (needsAttention(event))
          this.#log.warning('order.report-needs-attention', withTrace({ ...aboutOrder(order), ...reportIn(event) }));
        continue;
      }
      const ended = OUTCOMES[event.type];
      if (ended !== undefined) {
        this.#ended(order, event, ended);
        continue;
      }
      const isFailure = event.type === 'FollowUpFailed';
      if (!isFailure && !isContradiction(event)) continue;
      const about = isEventOf(event, 'follow-up')
        ? { ...aboutOrder(order, order.traceOf(event.data.number)), followUp: event.data.number }
        : aboutOrder(order);
      if (isFailure) this.#log.warning('order.failed', withTrace({ ...about, cause: event.type, code: codeOf(event) }));
      else
        this.#log.warning(
          'order.gate-contradicts',
          withTrace({ ...about, gate: gateOf(order), cause: event.type, ...contradictionIn(event) }),
        );
    }
  }

  #ended(order: OpenOrder, event: AnyEvent, { event: name, outcome }: { readonly event: string; readonly outcome: string }): void {
    const line = withTrace({
      ...aboutOrder(order),
      entryPoint: order.order.endpointId,
      outcome,
      code: codeOf(event),
      gate: gateOf(order),
      cause: causeOf(event),
    });
    if (name === 'order.ended') this.#log.info(name, line);
    else this.#log.warning(name, line);
  }

  #addressOf(error: unknown): { readonly store?: string } {
    if (error instanceof StoreUnavailable || error instanceof OutcomeUnknown) return { store: this.#addresses.events };
    return error instanceof VaultUnavailable ? { store: this.#addresses.vault } : {};
  }
}

const gateOf = ({ processing: { attempts } }: OpenOrder): string | undefined => (attempts.status === 'none' ? undefined : attempts.gate);

const reportIn = (event: DisputeEvent): Line => {
  const { gate, reportId, source } = event.data;
  return {
    gate,
    case: reportId,
    kind: reportKindOf(event),
    source,
    cause: event.type === 'ReportSetAside' ? event.data.cause : 'above-taken',
  };
};

const contradictionIn = ({ data }: AnyEvent): object => {
  const { believed, told, transactionId } = data as { readonly believed?: string; readonly told?: string; readonly transactionId?: string };
  return { ...(believed !== undefined && { believed, told, transactionId }) };
};

const PERCENT = 100;

/** Warns once per percent in the last fifth of the order numbers of a kind. */
export class OrderNumbersAlarm {
  readonly #log: Pick<ServiceLog, 'warning'>;
  readonly #warnedAt = new Map<string, number>();

  constructor(log: Pick<ServiceLog, 'warning'>) {
    this.#log = log;
  }

  reserved({ kind, used, of }: OrderNumbersUsed): void {
    const percent = Math.floor((used / of) * PERCENT);
    if (used < of * ORDER_NUMBERS_ALARM || this.#warnedAt.get(kind) === percent) return;
    this.#warnedAt.set(kind, percent);
    this.#log.warning('order-numbers.running-out', { kind, used, of });
  }
}

export class ProjectionSignal {
  #listener = (): void => undefined;

  onArrival(listener: () => void): void {
    this.#listener = listener;
  }

  arrived(): void {
    this.#listener();
  }
}
