import { isRejection, type Decider, type Decision } from '@app/kernel';
import {
  appendKnown,
  hashOf,
  loadOnto,
  metadataOf,
  type AnyEvent,
  type Envelope,
  type EventCodec,
  type EventStore,
  type Last,
  type StreamName,
} from '@app/event-store';
import type { AcceptedOrder, Processing, ProcessingCommand, ProcessingRejection } from '../domain';

/** An order as every context's state shows it to the reactors. */
export interface OrderInContext {
  readonly order: AcceptedOrder;
  readonly processing: Processing;
  /** Of a charge without a payer at hand. */
  readonly marks?: { readonly scenario?: 'REGULAR' | 'IRREGULAR'; readonly initiator?: 'CARDHOLDER' | 'MERCHANT' };
}

/** What a context registers, so that the reactors can append to its streams without knowing it (architecture, rule 14). */
export interface OrderContext<Event extends AnyEvent, State> {
  readonly codec: EventCodec<Event>;
  readonly decider: Decider<ProcessingCommand, Event, State, ProcessingRejection>;
  orderOf(state: State): OrderInContext | undefined;
}

export type Claim =
  /** The order as it stands now. */
  | { readonly kind: 'appended'; readonly order: OpenOrder }
  /** Somebody was faster, and whoever it was goes on. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'refused'; readonly rejection: ProcessingRejection };

/** One order at one revision: decisions are made on this very state and appended at that revision. */
export interface OpenOrder extends OrderInContext {
  readonly stream: StreamName;
  /** The request that made the order. */
  readonly correlation: string;
  /** The newest event's id: the cause of what comes next. */
  readonly causation: string;
  claim(command: ProcessingCommand, envelope: Envelope): Promise<Claim>;
}

type Opener = (store: EventStore, stream: StreamName) => Promise<OpenOrder | undefined>;

interface Standing<State> {
  readonly state: State;
  readonly last: Exclude<Last, 'no_stream'>;
  readonly correlation: string;
  readonly causation: string;
}

const openOrder = <Event extends AnyEvent, State>(
  context: OrderContext<Event, State>,
  store: EventStore,
  stream: StreamName,
  { state, last, correlation, causation }: Standing<State>,
): OpenOrder | undefined => {
  const { codec, decider } = context;
  const view = context.orderOf(state);
  if (view === undefined) return undefined;
  const claim = async (command: ProcessingCommand, envelope: Envelope): Promise<Claim> => {
    const decision: Decision<Event, ProcessingRejection> = decider.decide(command, state);
    if (isRejection(decision)) return { kind: 'refused', rejection: decision };
    const events = codec.encode(decision, stream, last, envelope);
    const result = await appendKnown(store, stream, last.revision, events);
    if (result.kind === 'conflict') return { kind: 'conflict' };
    const newest = events.at(-1) ?? events[0];
    const next: Standing<State> = {
      state: decision.reduce((folded, event) => decider.evolve(folded, event), state),
      last: { revision: result.revision, hash: hashOf(newest) },
      correlation,
      causation: newest.id,
    };
    const order = openOrder(context, store, stream, next);
    if (order === undefined) throw new Error(`${stream}: no order after an append`);
    return { kind: 'appended', order };
  };
  return { stream, correlation, causation, claim, ...view };
};

const openerOf =
  <Event extends AnyEvent, State>(context: OrderContext<Event, State>): Opener =>
  async (store, stream) => {
    let correlation: string | undefined;
    let causation = '';
    const decode: EventCodec<Event>['decode'] = (stored) => {
      correlation ??= metadataOf(stored).correlation;
      return context.codec.decode(stored);
    };
    const nothing = { state: context.decider.initial, last: 'no_stream' as const, eventCount: 0 };
    const { state, last } = await loadOnto(nothing, store, stream, context.decider, { ...context.codec, decode }, (_event, id) => {
      causation = id;
    });
    if (last === 'no_stream' || correlation === undefined) return undefined;
    return openOrder(context, store, stream, { state, last, correlation, causation });
  };

/** The contexts whose orders are processed here, by category. */
export class OrderContexts {
  readonly #openers = new Map<string, Opener>();
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  register<Event extends AnyEvent, State>(context: OrderContext<Event, State>): void {
    const { category } = context.codec;
    if (this.#openers.has(category)) throw new Error(`category ${category} is registered twice`);
    this.#openers.set(category, openerOf(context));
  }

  get categories(): readonly string[] {
    return [...this.#openers.keys()];
  }

  /** @throws Error where the stream is of no registered category or has no order: a work item that names it is a bug. */
  async open(stream: StreamName): Promise<OpenOrder> {
    const opener = this.#openers.get(stream.slice(0, stream.indexOf('-')));
    if (opener === undefined) throw new Error(`${stream}: no context has this category`);
    const open = await opener(this.#store, stream);
    if (open === undefined) throw new Error(`${stream}: no order`);
    return open;
  }
}
