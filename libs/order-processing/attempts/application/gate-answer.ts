import { addMs, present, unreachable, type Instant, type Money, type Sealed } from '@app/kernel';
import type {
  Approved,
  ChargeAnswer,
  Declined,
  FollowUpAnswer as FollowUpWord,
  Loyalty as ReportedLoyalty,
  PayerNeeded,
} from '@app/gateway-adapters/contract';
import type { FollowUpAnswer, GateAnswer, Loyalty, RandomSumDigest, Receipt } from '../../domain';

const loyaltyOf = ({ balance, message, bonus, program }: ReportedLoyalty): Loyalty => present({ balance, message, bonus, program });

const receiptOf = (answer: Approved | Declined): Receipt => {
  const { transactionId, processedAt, rrn, terminalId, payerAuthentication, eci, loyalty, commission } = answer;
  const { gateOrderId, cardToken, networkTransactionId } = answer;
  return {
    transactionId,
    processedAt,
    ...present({ rrn, terminalId, payerAuthentication, eci, gateOrderId, cardToken, networkTransactionId }),
    ...(loyalty && { loyalty: loyaltyOf(loyalty) }),
    ...(commission && { commission }),
  };
};

/** Copies the contract's answer member by member, so that nothing else of the adapter's object reaches an event. */
export const followUpAnswerOf = (answer: FollowUpWord): FollowUpAnswer => {
  switch (answer.kind) {
    case 'approved':
      return { kind: 'approved', receipt: receiptOf(answer), approvalCode: answer.approvalCode };
    case 'declined': {
      const { code, advice } = answer;
      return { kind: 'declined', receipt: receiptOf(answer), code, ...(advice !== undefined && { advice }) };
    }
    case 'unknown':
      return { kind: 'unknown', cause: answer.cause };
    case 'not-asked':
      return { kind: 'not-asked', cause: answer.cause };
    default:
      return unreachable(answer);
  }
};

/** Protects the parts of a charge's answer that no event may hold in clear. */
export interface AnswerProtection {
  readonly now: Instant;
  readonly payerMs: number;
  /** Seals the page, which only the payer's browser may see. */
  seal(page: PayerNeeded['page']): Sealed;
  /** Digests the sum, which only the cardholder may know. */
  digest(sum: Money): RandomSumDigest;
}

/** As `followUpAnswerOf`, for a charge. */
export const gateAnswerOf = (answer: ChargeAnswer, payer: AnswerProtection): GateAnswer => {
  if (answer.kind === 'approved' && answer.randomSum !== undefined) {
    const randomSum = payer.digest(answer.randomSum);
    return { kind: 'approved', receipt: { ...receiptOf(answer), randomSum }, approvalCode: answer.approvalCode };
  }
  if (answer.kind !== 'payer-needed') return followUpAnswerOf(answer);
  const { transactionId, page } = answer;
  return { kind: 'payer-needed', transactionId, page: payer.seal(page), payerDueAt: addMs(payer.now, payer.payerMs) };
};
