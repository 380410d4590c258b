import { unreachable, type Money } from '@app/kernel';
import { formatInstant, type DeviceOperation, type StatusCause } from '@app/gateway-protocol';
import type { OrderStatusView } from '@app/read-models';
import type { DeviceOrderSeen } from '@app/read-models/queries';
import { failed, type DeviceAnswer, type RequestInSession } from '@app/http/group-b';
import { reasonText } from '../../domain/reason-text';
import type { PayerPages } from '../payer/payer-link';

type State = { readonly state: string } & Readonly<Record<string, unknown>>;

/** Wire amounts are JSON numbers, below 2^53: the order's amount came as one, and a commission is a part of it. */
const centis = ({ minor }: Pick<Money, 'minor'>): number => Number(minor);

const bankOrderIdOf = ({ receipt, orderId }: OrderStatusView): string =>
  receipt === null || receipt.transactionId === '' ? orderId : receipt.transactionId;

const authenticationOf = ({ receipt, randomSum }: OrderStatusView): Readonly<Record<string, unknown>> => {
  const status = receipt?.payerAuthentication;
  return {
    // This interface has no `UNKNOWN`: an unknown authentication result is UNSUPPORTED (interface, section 3.2).
    ...(status !== undefined && { secure3DAuthStatus: status === 'UNKNOWN' ? 'UNSUPPORTED' : status }),
    ...(randomSum !== null && { randomSumAuthStatus: randomSum }),
  };
};

/** Apps read the commission of a decline as a number, so it is 0 if none was fixed. */
const commissionCentisOf = ({ status, commissionMinor }: OrderStatusView): number | undefined => {
  if (commissionMinor !== null) return Number(commissionMinor);
  return status === 'declined' ? 0 : undefined;
};

const transactionOf = ({ view }: DeviceOrderSeen): Readonly<Record<string, unknown>> => {
  const { orderId, amountMinor, currency, acceptedAt, processingAt } = view;
  const commissionCentis = commissionCentisOf(view);
  return {
    orderId,
    transaction: {
      amountCentis: Number(amountMinor),
      currency,
      ...(commissionCentis !== undefined && { commissionCentis }),
      orderCreatedDate: formatInstant(acceptedAt),
      transactionCreatedDate: formatInstant(processingAt ?? acceptedAt),
    },
  };
};

/** An app can end two waits: the payer's browser and the consumer's fee choice. */
const openStateOf = (order: DeviceOrderSeen, pages: Pick<PayerPages, 'startUrl'>): State => {
  const { stream, view, fees, isFeeChosen } = order;
  if (view.payer !== null) return { state: 'REDIRECT_REQUEST', redirectUrl: pages.startUrl(stream, view.payer.attemptKey) };
  if (fees === undefined || isFeeChosen === true) return { state: 'PROCESSING' };
  const transferFeeList = fees.map(({ assignedId, commission }) => ({
    assignedId,
    commissionCentis: centis(commission),
    currency: commission.currency,
  }));
  return { state: 'TRANSFER_FEE_REQUEST', transferFeeList };
};

const stateOf = (order: DeviceOrderSeen, pages: Pick<PayerPages, 'startUrl'>): State | StatusCause => {
  const { view } = order;
  switch (view.status) {
    case 'approved':
      return { state: 'APPROVED', bankOrderId: bankOrderIdOf(view) };
    case 'declined':
      return {
        state: 'DECLINED',
        bankOrderId: bankOrderIdOf(view),
        ...(view.code !== null && { errorCode: view.code, errorMessage: reasonText(view.code) }),
      };
    case 'filtered':
      return 'FILTERED';
    case 'error':
      return 'PROCESSING_FAILED';
    case 'processing':
    case 'unknown':
    case 'chain_declined':
      return openStateOf(order, pages);
    default:
      return unreachable(view.status);
  }
};

/** By the tables of the interface, sections 3.2 and 4.7, and of protocol decisions, section 8. */
export const deviceStatusAnswer = (
  operation: DeviceOperation,
  { order, token, pages }: { readonly order: DeviceOrderSeen; readonly token: string; readonly pages: Pick<PayerPages, 'startUrl'> },
): DeviceAnswer<StatusCause> => {
  const state = stateOf(order, pages);
  if (state === 'FILTERED') return failed('filtered', state, 'The order was filtered');
  if (typeof state === 'string') return failed('processing-failed', state, 'The order could not be processed, and nothing was charged');
  const body = {
    invoiceId: order.view.clientOrderId,
    session: { token },
    ...state,
    ...authenticationOf(order.view),
    ...(operation !== 'verification' && transactionOf(order)),
  };
  return { kind: 'answer', body };
};

export class StatusTranslation {
  constructor(private readonly pages: Pick<PayerPages, 'startUrl'>) {}

  answer({ operation, order, message }: RequestInSession): DeviceAnswer<StatusCause> {
    return deviceStatusAnswer(operation.operation, { order, token: message.session.token, pages: this.pages });
  }
}
