import {
  isRejection,
  type ClientOrderId,
  type Deadline,
  type Decider,
  type Decision,
  type MerchantLogin,
  type NonEmpty,
  type OrderId,
  type OrderIds,
} from '@app/kernel';
import {
  appendKnown,
  categoryOf,
  hashOf,
  loadOnto,
  metadataOf,
  runDecision,
  storeWithin,
  type StreamCopies,
  type AnyEvent,
  type Envelope,
  type EventCodec,
  type EventStore,
  type Last,
  type Revision,
  type StreamName,
  type Traced,
} from '@app/event-store';
import {
  isEventOf,
  type DeviceOrderCommand,
  type DeviceOrderRejection,
  type OrderInProgress,
  type Processing,
  type OrderFact,
} from '../domain';
import { trace, type Trace, type Traces } from './follow-up-traces';

interface OrderInContext {
  readonly order: OrderInProgress;
  readonly processing: Processing;
  /** Present for a charge without the payer at hand. */
  readonly marks?: { readonly scenario?: 'REGULAR' | 'IRREGULAR'; readonly initiator?: 'CARDHOLDER' | 'MERCHANT' };
}

/** A kind of order that does not know the command ignores it. */
export type OrderCommand = DeviceOrderCommand;
export type OrderRejection = DeviceOrderRejection;

/** Lets the reactors append to a context's streams without knowing it (architecture, rule 14). */
export interface OrderContext<Event extends AnyEvent, State> {
  readonly codec: EventCodec<Event>;
  readonly decider: Decider<OrderCommand, Event, State, OrderRejection>;
  orderOf(state: State): OrderInContext | undefined;
  streamOf(merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName;
}

export type Claim =
  | { readonly kind: 'appended'; readonly order: OpenOrder; readonly events: NonEmpty<AnyEvent> }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'refused'; readonly rejection: OrderRejection };

/** One order at one revision: decisions use this state and are appended at that revision. The trace is that of the request that made the order. */
export interface OpenOrder extends OrderInContext, Traced {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly causation: string;
  /** @throws Error for an unknown number */
  traceOf(followUp: number): Trace;
  claim(command: OrderCommand, envelope: Envelope): Promise<Claim>;
  /** What a claim would append, or its refusal. Changes nothing. */
  preview(command: OrderCommand): Decision<AnyEvent, OrderRejection>;
}

type OrderDecision =
  { readonly kind: 'appended'; readonly events: NonEmpty<AnyEvent> } | { readonly kind: 'rejected'; readonly rejection: OrderRejection };

interface Deciding {
  readonly stream: StreamName;
  readonly command: OrderCommand;
  readonly envelope: Envelope;
}

interface Registered {
  /** @param log where the stream is read; the store's own by default */
  open(store: EventStore, stream: StreamName, log?: Pick<EventStore, 'read'>): Promise<OpenOrder | undefined>;
  decide(store: EventStore, deciding: Deciding): Promise<OrderDecision>;
  streamOf(merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName;
}

interface Standing<State> extends Traced {
  readonly state: State;
  readonly last: Exclude<Last, 'no_stream'>;
  readonly causation: string;
  readonly traces: Traces;
}

const openOrder = <Event extends AnyEvent, State>(
  context: OrderContext<Event, State>,
  store: EventStore,
  stream: StreamName,
  { state, last, correlation, callerTrace, causation, traces }: Standing<State>,
): OpenOrder | undefined => {
  const { codec, decider } = context;
  const view = context.orderOf(state);
  if (view === undefined) return undefined;
  const claim = async (command: OrderCommand, envelope: Envelope): Promise<Claim> => {
    const decision: Decision<Event, OrderRejection> = decider.decide(command, state);
    if (isRejection(decision)) return { kind: 'refused', rejection: decision };
    const events = codec.encode(decision, stream, last, envelope);
    const result = await appendKnown(store, stream, last.revision, events);
    if (result.kind === 'conflict') return { kind: 'conflict' };
    const newest = events.at(-1) ?? events[0];
    const known = new Map(traces);
    for (const [index, { id }] of events.entries()) trace(known, { event: decision[index], id, asked: envelope });
    const next: Standing<State> = {
      state: decision.reduce((folded, event) => decider.evolve(folded, event), state),
      last: { revision: result.revision, hash: hashOf(newest) },
      correlation,
      callerTrace,
      causation: newest.id,
      traces: known,
    };
    const order = openOrder(context, store, stream, next);
    if (order === undefined) throw new Error(`${stream}: no order after an append`);
    return { kind: 'appended', order, events: decision };
  };
  const traceOf = (number: number): Trace => {
    const known = traces.get(number);
    if (known === undefined) throw new Error(`${stream}: no follow-up ${number}`);
    return known;
  };
  const preview = (command: OrderCommand): Decision<AnyEvent, OrderRejection> => decider.decide(command, state);
  return { stream, revision: last.revision, correlation, callerTrace, causation, traceOf, claim, preview, ...view };
};

const openerOf =
  <Event extends AnyEvent, State>(context: OrderContext<Event, State>): Registered['open'] =>
  async (store, stream, log = store) => {
    let began: Traced | undefined;
    let causation = '';
    let asking: Traced | undefined;
    const traces = new Map<number, Trace>();
    const decode: EventCodec<Event>['decode'] = (stored) => {
      began ??= metadataOf(stored);
      const event = context.codec.decode(stored);
      if (isEventOf(event, 'follow-up')) asking = metadataOf(stored);
      return event;
    };
    const nothing = { state: context.decider.initial, last: 'no_stream' as const, eventCount: 0 };
    const { state, last } = await loadOnto(nothing, log, stream, context.decider, { ...context.codec, decode }, (event, id) => {
      causation = id;
      if (asking !== undefined) trace(traces, { event, id, asked: asking });
    });
    if (last === 'no_stream' || began === undefined) return undefined;
    const { correlation, callerTrace } = began;
    return openOrder(context, store, stream, { state, last, correlation, callerTrace, causation, traces });
  };

export class OrderContexts {
  readonly #registered = new Map<string, Registered>();
  readonly #store: EventStore;
  readonly #orderIds: Pick<OrderIds, 'kindOf'>;
  readonly #copies: Pick<StreamCopies, 'read'>;

  constructor(store: EventStore, orderIds: Pick<OrderIds, 'kindOf'>, copies: Pick<StreamCopies, 'read'>) {
    this.#store = store;
    this.#orderIds = orderIds;
    this.#copies = copies;
  }

  register<Event extends AnyEvent, State>(context: OrderContext<Event, State>): void {
    const { category } = context.codec;
    if (this.#registered.has(category)) throw new Error(`category ${category} is registered twice`);
    this.#registered.set(category, {
      open: openerOf(context),
      decide: async (store, { stream, command, envelope }) => {
        const { codec, decider } = context;
        const result = await runDecision({ store, codec, decider, stream, command, envelope });
        return result.kind === 'appended' ? result : { kind: 'rejected', rejection: result.rejection };
      },
      streamOf: (merchant, clientOrderId) => context.streamOf(merchant, clientOrderId),
    });
  }

  get categories(): readonly string[] {
    return [...this.#registered.keys()];
  }

  /** @throws Error if the stream has no registered category or no order, which only a bug can cause */
  async open(stream: StreamName, deadline?: Deadline): Promise<OpenOrder> {
    const open = await this.findByStream(stream, deadline);
    if (open === undefined) throw new Error(`${stream}: no order`);
    return open;
  }

  /**
   * As a subscription delivered it, perhaps without the newest events: a claim must succeed before anything else is done with it. Undefined
   * if there is no copy.
   */
  openDelivered(stream: StreamName): Promise<OpenOrder | undefined> {
    return this.contextOf(stream).open(this.#store, stream, this.#copies);
  }

  /** Undefined if the stream holds no order. @throws Error if it has no registered category */
  findByStream(stream: StreamName, deadline?: Deadline): Promise<OpenOrder | undefined> {
    return this.contextOf(stream).open(storeWithin(this.#store, deadline), stream);
  }

  /** Undefined if there is none, and equally for another merchant's order. */
  async find({
    merchant,
    clientOrderId,
    orderId,
    deadline,
  }: {
    readonly merchant: MerchantLogin;
    readonly clientOrderId: ClientOrderId;
    readonly orderId: OrderId;
    readonly deadline?: Deadline | undefined;
  }): Promise<OpenOrder | undefined> {
    const context = this.#registered.get(this.#orderIds.kindOf(orderId));
    const open = await context?.open(storeWithin(this.#store, deadline), context.streamOf(merchant, clientOrderId));
    return open?.order.orderId === orderId ? open : undefined;
  }

  /**
   * Decides again after a conflict. If the stream already holds the command's events, it has succeeded.
   * @throws StoreUnavailable nothing was stored; OutcomeUnknown; as `runDecision`
   */
  decide({ deadline, ...deciding }: Deciding & { readonly deadline?: Deadline | undefined }): Promise<OrderDecision> {
    return this.contextOf(deciding.stream).decide(storeWithin(this.#store, deadline), deciding);
  }

  private contextOf(stream: StreamName): Registered {
    const context = this.#registered.get(categoryOf(stream));
    if (context === undefined) throw new Error(`${stream}: no context has this category`);
    return context;
  }
}

/** Answers from the order's stream, because a read model may lag behind (architecture, rule 10). */
export interface OrderFacts {
  orderOf(merchant: MerchantLogin, clientOrderId: ClientOrderId, orderId: OrderId, deadline?: Deadline): Promise<OrderFact | undefined>;
}
