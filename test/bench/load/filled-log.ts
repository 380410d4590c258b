export interface Fill {
  readonly dataDir: string;
  /** Approved recurrent payments, each with `EVENTS_PER_ORDER` events. */
  readonly orders: number;
  /** Orders named in the answer, spread evenly over the log. */
  readonly sample: number;
  /** Initial payments that wait for their payer and for the gate's answer, at `sim-a` where no gate is named, each with `EVENTS_PER_WAITING_ORDER` events. */
  readonly waiting?: { readonly forPayer: number; readonly forGate: number; readonly gate?: string };
}

export interface Filled {
  readonly events: number;
  readonly sample: readonly { readonly clientOrderId: string; readonly orderId: string }[];
}

/** Accepted, attempt started, attempt approved, order approved; and the callback delivered, in a stream of its own. */
export const EVENTS_PER_ORDER = 5;
/** Accepted, attempt started, and the event that makes it wait. */
export const EVENTS_PER_WAITING_ORDER = 3;
