import { present, unreachable } from '@app/kernel';
import type { FollowUpRequest, SentFollowUp, SentRequest } from '@app/gateway-adapters/contract';
import type { Attempt, FollowUp, FollowUpOperation } from '../../domain';
import type { OpenOrder } from '../order-context';

/** An attempt as its gate was sent it, for the calls that come back to it. */
export const sentAttempt = (
  { order }: OpenOrder,
  { key, amount, gateOrderId }: Pick<Attempt, 'key' | 'amount' | 'gateOrderId'>,
): SentRequest => {
  const { orderId, merchant, endpointId, plan } = order;
  return {
    key,
    orderId,
    merchant,
    endpointId,
    ...(plan.operation !== 'account-verification' && { amount }),
    ...present({ gateOrderId }),
    ...(order.device !== undefined && plan.cvvHolder !== undefined && { isByDevice: true }),
  };
};

const operationOf = (operation: FollowUpOperation): SentFollowUp['operation'] => {
  switch (operation) {
    case 'capture':
    case 'void':
      return operation;
    case 'reversal':
    case 'cancel':
      return 'return';
    default:
      return unreachable(operation);
  }
};

/** A follow-up as its gate is sent it. @param notificationUrl where the gate listens */
export const followUpRequest = (
  { order, processing }: OpenOrder,
  { amount, original }: Pick<FollowUp, 'amount' | 'original'>,
  { key, notificationUrl }: { readonly key: FollowUpRequest['key']; readonly notificationUrl?: string | undefined },
): FollowUpRequest => {
  const { orderId, merchant, endpointId } = order;
  const { attempts } = processing;
  const told = attempts.status === 'approved' && attempts.by === 'gate' ? attempts.receipt.gateOrderId : undefined;
  const gateOrderId = told ?? (attempts.status === 'none' ? undefined : attempts.gateOrderId);
  return { key, original, orderId, merchant, endpointId, amount, ...present({ gateOrderId, notificationUrl }) };
};

/** The same for an inquiry about it. */
export const sentFollowUp = (
  open: OpenOrder,
  followUp: Pick<FollowUp, 'amount' | 'original' | 'operation'>,
  { key, notificationUrl }: { readonly key: FollowUpRequest['key']; readonly notificationUrl?: string | undefined },
): SentFollowUp => ({ ...followUpRequest(open, followUp, { key, notificationUrl }), operation: operationOf(followUp.operation) });
