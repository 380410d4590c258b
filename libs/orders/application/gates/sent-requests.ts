import { present, unreachable, type AttemptKey, type GateAlias, type Instant } from '@app/kernel';
import type { FollowUpRequest, SentFollowUp, SentRequest } from '@app/gateway-adapters/contract';
import { type Attempt, type FollowUp, type FollowUpOperation, isAtHostedChallenge, isPayerBack, type Attempts } from '../../domain';
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

/** What one gate was sent under one key, as the log has it. */
export type SentUnderKey =
  | {
      readonly kind: 'attempt';
      readonly request: SentRequest;
      /** When something last left under the key; absent for an attempt that another one followed. */
      readonly sentAt?: Instant;
      /** The second leg of 3-D Secure has left: a word about the first one decides nothing any more. */
      readonly isPayerBack: boolean;
    }
  | { readonly kind: 'follow-up'; readonly number: number; readonly request: SentFollowUp; readonly sentAt: Instant };

/** Undefined where the order's stream knows no such key at this gate: no gate speaks for another. */
export const sentUnderKey = (open: OpenOrder, gate: GateAlias, key: AttemptKey): SentUnderKey | undefined => {
  const { attempts, followUps } = open.processing;
  if (attempts.status !== 'none') {
    const isOfGate = (one: { readonly key: AttemptKey; readonly gate: GateAlias }): boolean => one.key === key && one.gate === gate;
    if (isOfGate(attempts)) {
      const { sentAt } = attempts;
      return { kind: 'attempt', request: sentAttempt(open, attempts), sentAt, isPayerBack: isPayerBack(attempts) };
    }
    const before = attempts.earlier.find(isOfGate);
    if (before !== undefined) return { kind: 'attempt', request: sentAttempt(open, before), isPayerBack: false };
  }
  for (const followUp of followUps) {
    if (followUp.status === 'accepted' || followUp.key !== key || followUp.gate !== gate) continue;
    return { kind: 'follow-up', number: followUp.number, request: sentFollowUp(open, followUp, { key }), sentAt: followUp.startedAt };
  }
  return undefined;
};

/** Whether the gate owes the outcome of this order's newest attempt. */
export const isOpenAttempt = (attempts: Attempts, gate: GateAlias): boolean =>
  attempts.status !== 'none' &&
  attempts.gate === gate &&
  (attempts.status === 'started' || attempts.status === 'unknown' || attempts.status === 'payer-returned' || isAtHostedChallenge(attempts));

const isOpenFollowUp = (followUp: FollowUp, gate: GateAlias): boolean =>
  followUp.gate === gate && (followUp.status === 'started' || followUp.status === 'unknown');

/** Whether the gate still owes an outcome of this order, so that asking it may tell something new. */
export const owesOutcome = ({ processing: { attempts, followUps } }: OpenOrder, gate: GateAlias): boolean =>
  isOpenAttempt(attempts, gate) || followUps.some((followUp) => isOpenFollowUp(followUp, gate));
