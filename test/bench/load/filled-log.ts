export interface Fill {
  readonly dataDir: string;
  /** Each with `EVENTS_PER_ORDER` events. */
  readonly orders: number;
  /** Orders named in the answer, spread evenly over the log. */
  readonly sample: number;
}

export interface Filled {
  readonly events: number;
  readonly sample: readonly { readonly clientOrderId: string; readonly orderId: string }[];
}

/** Accepted, attempt started, attempt approved, order approved; and the callback delivered, in a stream of its own. */
export const EVENTS_PER_ORDER = 5;
