import type { Answer, FollowUp } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';

export type InitialKind = 'sale' | 'preauth' | 'accountVerification' | 'rebill' | 'rebillPreauth';
/** By a card reference, without a payer. */
export const isRecurrent = (kind: InitialKind): boolean => kind === 'rebill' || kind === 'rebillPreauth';

/** What one request of the merchant was answered with: the fields, or that nothing came back. */
export interface Told {
  readonly atMs: number;
  readonly fields: Answer['fields'] | 'lost';
}

interface CallbackTaken {
  readonly atMs: number;
  readonly webhookId: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly wasAcknowledged: boolean;
}

/** The merchant's own record of one of its orders. */
export interface OrderRecord {
  readonly clientOrderId: string;
  readonly kind: InitialKind;
  readonly amount: string;
  /** Tried in turn where the one before is declined; the amount alone where the request lists none. */
  readonly amounts: readonly string[];
  readonly requests: Told[];
  readonly statuses: Told[];
  readonly callbacks: CallbackTaken[];
  readonly followUps: FollowUpRecord[];
  /** Whether its callbacks are acknowledged one day. */
  readonly takesCallbacks: boolean;
  /** From the answer that accepted it. */
  order: Order | undefined;
  cardRefId: string | undefined;
  /** What version 4 names for the same card, where it was asked. */
  cardRefV4: { readonly source: string | undefined; readonly destination: string | undefined } | undefined;
  /** What the service says of the card behind the reference, where it was asked. */
  cardInfo: Answer['fields'] | undefined;
  isOver: boolean;
}

/** As nothing was asked for yet. */
export const recordOfOrder = (
  order: Pick<OrderRecord, 'clientOrderId' | 'kind' | 'amount'> & Partial<Pick<OrderRecord, 'amounts' | 'takesCallbacks'>>,
): OrderRecord => ({
  amounts: [order.amount],
  takesCallbacks: true,
  ...order,
  requests: [],
  statuses: [],
  callbacks: [],
  followUps: [],
  order: undefined,
  cardRefId: undefined,
  cardRefV4: undefined,
  cardInfo: undefined,
  isOver: false,
});

export interface FollowUpRecord {
  readonly kind: FollowUp;
  readonly amount: string | undefined;
  readonly requests: Told[];
  readonly statuses: Told[];
  serial: string | undefined;
}

/** Of every card that a payer types in. */
export const SECURITY_CODE = '7391';

const FINAL: ReadonlySet<string | undefined> = new Set(['approved', 'declined', 'filtered', 'error']);

export const statusOf = ({ fields }: Told): string | undefined => (fields === 'lost' ? undefined : fields['status']);
export const isFinal = (told: Told | undefined): boolean => told !== undefined && FINAL.has(statusOf(told));

/** The order that an answer names as accepted. */
export const orderIn = (fields: Answer['fields'] | undefined): Order | undefined => {
  const { type, 'merchant-order-id': clientOrderId, 'paynet-order-id': orderId } = fields ?? {};
  return type === 'async-response' && clientOrderId !== undefined && orderId !== undefined ? { clientOrderId, orderId } : undefined;
};
