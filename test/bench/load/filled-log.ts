import { askOnce } from '../harness/program';

export interface Fill {
  readonly dataDir: string;
  /** Approved recurrent payments, each with `EVENTS_PER_ORDER` events. */
  readonly orders: number;
  /** Orders named in the answer, spread evenly over the log. */
  readonly sample: number;
}

export interface Filled {
  readonly sample: readonly { readonly clientOrderId: string; readonly orderId: string }[];
}

/** Accepted, attempt started, attempt approved, order approved; and the callback delivered, in a stream of its own. */
const EVENTS_PER_ORDER = 5;
const TIMEOUT_MS = 1_800_000;

/** Writes a log of so many events in a process of its own. */
export const fillLog = (dataDir: string, events: number, sample = 1): Promise<Filled> =>
  askOnce<Fill, Filled>('fill-log', { dataDir, orders: Math.ceil(events / EVENTS_PER_ORDER), sample }, TIMEOUT_MS);
