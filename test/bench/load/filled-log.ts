import { askOnce } from '../harness/program';

export interface Fill {
  readonly dataDir: string;
  readonly orders: number;
  readonly sample: number;
  /** With records of operators, cases, failed callbacks and orders of several merchants that ended in any way. */
  readonly isOperated?: boolean;
}

export interface Filled {
  readonly sample: readonly { readonly clientOrderId: string; readonly orderId: string; readonly stream: string }[];
}

/** Order accepted, attempt started, attempt approved, order approved; and, in another stream, callback delivered. */
const EVENTS_PER_ORDER = 5;
const TIMEOUT_MS = 1_800_000;

export const fillLog = (dataDir: string, events: number, sample = 1): Promise<Filled> =>
  askOnce<Fill, Filled>('fill-log', { dataDir, orders: Math.ceil(events / EVENTS_PER_ORDER), sample }, TIMEOUT_MS);

/** Less than a fifth, because of the operators' events. */
const OPERATED_ORDERS = 0.17;

export const fillOperatedLog = (dataDir: string, events: number, sample: number): Promise<Filled> =>
  askOnce<Fill, Filled>('fill-log', { dataDir, orders: Math.ceil(events * OPERATED_ORDERS), sample, isOperated: true }, TIMEOUT_MS);
