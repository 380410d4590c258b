import { addMs, unreachable, type Instant, type Sealed } from '@app/kernel';
import type { Approved, ChargeAnswer, Declined, FollowUpAnswer as FollowUpWord, PayerNeeded } from '@app/gateway-adapters/contract';
import type { FollowUpAnswer, GateAnswer, Receipt } from '../domain';

const receiptOf = ({ transactionId, processedAt, rrn, terminalId, payerAuthentication, eci }: Approved | Declined): Receipt => ({
  transactionId,
  processedAt,
  ...(rrn !== undefined && { rrn }),
  ...(terminalId !== undefined && { terminalId }),
  ...(payerAuthentication !== undefined && { payerAuthentication }),
  ...(eci !== undefined && { eci }),
});

/** The contract's word on what asks for no payer, in ours, copied member by member. */
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

/** The same of a charge; `seal` hides the page that only the payer's browser may see. */
export const gateAnswerOf = (
  answer: ChargeAnswer,
  payer: { readonly now: Instant; readonly payerMs: number; seal(page: PayerNeeded['page']): Sealed },
): GateAnswer => {
  if (answer.kind !== 'payer-needed') return followUpAnswerOf(answer);
  const { transactionId, page } = answer;
  return { kind: 'payer-needed', transactionId, page: payer.seal(page), payerDueAt: addMs(payer.now, payer.payerMs) };
};
