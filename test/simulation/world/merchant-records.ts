import type { Answer, FollowUp } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';

export type InitialKind = 'sale' | 'preauth' | 'accountVerification' | 'rebill' | 'rebillPreauth';
/** By a card reference, without a payer. */
export const isRecurrent = (kind: InitialKind): boolean => kind === 'rebill' || kind === 'rebillPreauth';

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

export interface OrderRecord {
  readonly clientOrderId: string;
  readonly kind: InitialKind;
  readonly amount: string;
  /** Tried in turn after each decline; only the amount if the request lists none. */
  readonly amounts: readonly string[];
  readonly requests: Told[];
  readonly statuses: Told[];
  readonly callbacks: CallbackTaken[];
  readonly followUps: FollowUpRecord[];
  readonly takesCallbacks: boolean;
  order: Order | undefined;
  cardRefId: string | undefined;
  cardRefV4: { readonly source: string | undefined; readonly destination: string | undefined } | undefined;
  cardInfo: Answer['fields'] | undefined;
  isOver: boolean;
}

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

export const SECURITY_CODE = '7391';

const FINAL: ReadonlySet<string | undefined> = new Set(['approved', 'declined', 'filtered', 'error']);

export const statusOf = ({ fields }: Told): string | undefined => (fields === 'lost' ? undefined : fields['status']);
export const isFinal = (told: Told | undefined): boolean => told !== undefined && FINAL.has(statusOf(told));

export const orderIn = (fields: Answer['fields'] | undefined): Order | undefined => {
  const { type, 'merchant-order-id': clientOrderId, 'paynet-order-id': orderId } = fields ?? {};
  return type === 'async-response' && clientOrderId !== undefined && orderId !== undefined ? { clientOrderId, orderId } : undefined;
};
