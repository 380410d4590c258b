import {
  unreachable,
  type ClientOrderId,
  type EndpointId,
  type GateAlias,
  type Instant,
  type MerchantLogin,
  type Money,
  type OrderId,
  type NonEmpty,
} from '@app/kernel';
import type { StoredEvent } from '@app/event-store';
import {
  amountsOf,
  attempts as attemptsDecider,
  evolveAttempts,
  firstRouteStep,
  isEventOf,
  type AttemptEvent,
  type Attempts,
  type FinalEvent,
  type OrderCard,
  type OrderScreened,
  type Plan,
  type RouteStep,
  amountOfRouteStep,
  INTERRUPTED,
  nextRouteStep,
  NO_GATE,
  plannedGate,
} from '@app/orders/domain';
import type { OrderEvent } from '@app/read-models';

export type PastEnd =
  | { readonly kind: 'approved'; readonly amount: Money; readonly gate: GateAlias | undefined }
  | { readonly kind: 'refused'; readonly status: 'declined' | 'filtered' | 'error'; readonly code: number }
  | { readonly kind: 'open' };

const stepName = ({ gate, amountNumber }: RouteStep): string => `${amountNumber} ${gate}`;

/** Most orders only need these events' existence; their content is read on demand. */
const isReadLater = (event: { readonly type: string }): boolean => event.type === 'NextAttemptChosen' || isEventOf(event, 'attempt', 'end');
const READ_AT_ONCE: ReadonlySet<string> = new Set(['OrderScreened', 'MerchantChecked', 'FeeChosen'] satisfies OrderEvent['type'][]);

type Later = Exclude<OrderEvent, { readonly type: 'OrderAccepted' }>;

type ReadEvent = (stored: StoredEvent) => Later;

export class PastOrder {
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly endpointId: EndpointId;
  readonly amount: Money;
  readonly plan: Plan;
  readonly acceptedAt: Instant;
  readonly #outcomes = new Map<string, Attempts>();
  readonly #read: ReadEvent | undefined;
  #unread: StoredEvent[] = [];
  #isSubmitted = false;
  #isEnded = false;
  card: OrderCard | undefined;
  screened: OrderScreened['data'] | undefined;
  #issuerCountry: string | undefined;
  chosenGate: GateAlias | undefined;
  #end: PastEnd = { kind: 'open' };
  #attempts: Attempts = attemptsDecider.initial;
  #step: RouteStep;

  /** @param read absent if whole events are applied */
  constructor({ data }: Extract<OrderEvent, { readonly type: 'OrderAccepted' }>, read?: ReadEvent) {
    this.#read = read;
    this.orderId = data.orderId;
    this.merchant = data.merchant;
    this.clientOrderId = data.clientOrderId;
    this.endpointId = data.endpointId;
    this.amount = data.amount;
    this.plan = data.plan;
    this.acceptedAt = data.acceptedAt;
    this.card = data.card;
    this.#issuerCountry = data.plan.route?.country;
    this.#step = firstRouteStep(data);
  }

  /** True if the order reached screening, or passed the point if there were no rules. */
  get isSubmitted(): boolean {
    return this.#isSubmitted;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Results of each step taken. @throws UndecodableEvent */
  get outcomes(): ReadonlyMap<string, Attempts> {
    this.#readUnread();
    return this.#outcomes;
  }

  get end(): PastEnd {
    this.#readUnread();
    return this.#end;
  }

  /** ISO 3166 alpha-3, from the gate's data. @throws UndecodableEvent */
  get issuerCountry(): string | undefined {
    this.#readUnread();
    return this.#issuerCountry;
  }

  take(stored: StoredEvent): void {
    if (isReadLater(stored)) this.#unread.push(stored);
    else if (READ_AT_ONCE.has(stored.type)) this.apply(this.#readEvent(stored));
    this.#note(stored);
  }

  get recordedGates(): readonly GateAlias[] {
    return this.plan.route?.able ?? this.plan.gates.map(({ alias }) => alias);
  }

  /** Amounts that may be charged, as used by screening. */
  get amounts(): readonly Money[] {
    return this.plan.operation === 'account-verification' ? [] : amountsOf(this);
  }

  /** Events after the end are ignored. */
  apply(event: Later): void {
    this.#note(event);
    if (isEventOf(event, 'follow-up', 'report', 'reconciliation')) return;
    if (isEventOf(event, 'end')) {
      this.#end = this.#endBy(event);
      return;
    }
    if (isEventOf(event, 'attempt')) return this.#attempt(event);
    switch (event.type) {
      case 'NextAttemptChosen':
        this.#step = { gate: event.data.gate, amountNumber: event.data.amountNumber };
        return;
      case 'OrderScreened':
        this.screened = event.data;
        return;
      case 'MerchantChecked':
        this.card = event.data.source?.card ?? this.card;
        return;
      case 'FeeChosen':
        this.chosenGate = event.data.gate;
        return;
      case 'MerchantCheckFailed':
      case 'FeesOffered':
      case 'GateFeesOffered':
      case 'GateFeeChosen':
      case 'CommissionDiffered':
      case 'CardsMapped':
        return;
      default:
        return unreachable(event);
    }
  }

  #note(event: { readonly type: string }): void {
    const { type } = event;
    if (type === 'OrderScreened' || type === 'AttemptStarted') this.#isSubmitted = true;
    if (isEventOf(event, 'end')) this.#isEnded = true;
  }

  #readEvent(stored: StoredEvent): Later {
    if (this.#read === undefined) throw new Error('an order that takes stored events needs to read them');
    return this.#read(stored);
  }

  #readUnread(): void {
    const unread = this.#unread;
    if (unread.length === 0) return;
    this.#unread = [];
    for (const stored of unread) this.apply(this.#readEvent(stored));
  }

  #attempt(event: AttemptEvent): void {
    if (event.type === 'AttemptStarted') {
      this.#issuerCountry ??= event.data.issuer?.country;
      // A device order goes to the consumer's choice, which earlier events do not name as a step.
      this.#step = { gate: event.data.gate, amountNumber: this.#step.amountNumber };
    }
    this.#attempts = evolveAttempts(this.#attempts, event);
    this.#outcomes.set(stepName(this.#step), this.#attempts);
  }

  #endBy(event: FinalEvent): PastEnd {
    switch (event.type) {
      case 'OrderApproved':
        return { kind: 'approved', amount: event.data.amount, gate: this.#step.gate };
      case 'OrderDeclined':
        return { kind: 'refused', status: 'declined', code: event.data.code };
      case 'OrderFiltered':
        return { kind: 'refused', status: 'filtered', code: event.data.code };
      case 'OrderFailed':
        return { kind: 'refused', status: 'error', code: event.data.code };
    }
  }
}

/** Why an order's result under other rules is unknown. */
export type NotKnown =
  /** A gate was never asked, or not for this amount, so its answer is unknown. */
  | 'gate-never-asked'
  | 'text-sealed'
  /** A rule depends on more card digits than are stored in clear. */
  | 'digits-not-shown'
  /** A limit depends on an earlier order whose result is unknown. */
  | 'count-in-doubt'
  | 'order-open';

export type WouldEnd = PastEnd | { readonly kind: 'cannot-know'; readonly why: NotKnown; readonly gate?: GateAlias };

/** The next-step rule only uses the names of the gates. */
const planOver = (plan: Plan, gates: NonEmpty<GateAlias>): Plan => {
  const planned = (alias: GateAlias) =>
    plan.gates.some((gate) => gate.alias === alias) ? plannedGate({ plan }, alias) : { ...plan.gates[0], alias };
  const [first, ...others] = gates;
  return { ...plan, gates: [planned(first), ...others.map(planned)] };
};

/** Routes an order through other gates with the service's rule and the gates' recorded answers. Assumes that a gate's answer does not depend on its position. */
export const walkAgain = (order: PastOrder, gates: NonEmpty<GateAlias>): WouldEnd => {
  const { amount } = order;
  const plan = planOver(order.plan, gates);
  const planned = { plan, amount };
  let step: RouteStep | undefined = { gate: gates[0], amountNumber: 1 };
  let decline: { readonly code: number; readonly amountNumber: number } | undefined;
  let failure: number = NO_GATE;
  while (step !== undefined) {
    const outcome = order.outcomes.get(stepName(step));
    if (outcome === undefined) return { kind: 'cannot-know', why: 'gate-never-asked', gate: step.gate };
    switch (outcome.status) {
      case 'approved':
        return { kind: 'approved', amount: amountOfRouteStep(planned, step), gate: step.gate };
      case 'declined':
        decline = { code: outcome.code, amountNumber: step.amountNumber };
        break;
      case 'not-asked':
        failure = outcome.cause === 'never-heard-of' ? INTERRUPTED : NO_GATE;
        break;
      case 'none':
      case 'started':
      case 'unknown':
      case 'payer-needed':
      case 'payer-returned':
        return { kind: 'cannot-know', why: 'order-open', gate: step.gate };
    }
    step = nextRouteStep(planned, { routeStep: step, newest: outcome, declinedAmountNumber: decline?.amountNumber });
  }
  // A decline is final if no later gate could be asked.
  if (decline !== undefined) return { kind: 'refused', status: 'declined', code: decline.code };
  return { kind: 'refused', status: 'error', code: failure };
};
