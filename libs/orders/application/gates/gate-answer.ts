import { addMs, present, unreachable, type Instant, type Money, type Sealed } from '@app/kernel';
import type {
  Approved,
  ChargeAnswer,
  ChoiceNeeded,
  Declined,
  FollowUpAnswer as FollowUpWord,
  Loyalty as ReportedLoyalty,
  PayerNeeded,
} from '@app/gateway-adapters/contract';
import { ID_LENGTH_MAX, looksLikeCardNumber } from '@app/event-store';
import type { FollowUpAnswer, GateAnswer, GateChoice, Loyalty, RandomSumDigest, Receipt } from '../../domain';

/** A gate's advice and loyalty texts beyond this are cut. */
const TEXT_CHARACTERS_MAX = 1_024;

/** A gate's text for people; none where it holds what looks like a card number, which no event may hold: the answer counts all the same. */
const told = (text: string | undefined): string | undefined =>
  text === undefined || looksLikeCardNumber(text) ? undefined : text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed();

/** A gate's reference, as far as an event can hold it. */
const reference = (text: string): string => text.slice(0, ID_LENGTH_MAX).toWellFormed();
const referenceIfAny = (text: string | undefined): string | undefined => (text === undefined ? undefined : reference(text));
/** A reference that is sent back to a gate is of use only as a whole. */
export const wholeReference = (text: string | undefined): string | undefined =>
  text === undefined || text === '' || text.length > ID_LENGTH_MAX || !text.isWellFormed() ? undefined : text;

const loyaltyOf = ({ balance, message, bonus, program }: ReportedLoyalty): Loyalty =>
  present({ balance: told(balance), message: told(message), bonus: told(bonus), program: told(program) });

const receiptOf = (answer: Approved | Declined): Receipt => {
  const { transactionId, processedAt, rrn, terminalId, payerAuthentication, eci, loyalty, commission } = answer;
  const { gateOrderId, cardToken, networkTransactionId } = answer;
  return {
    transactionId: reference(transactionId),
    processedAt,
    ...present({
      rrn: referenceIfAny(rrn),
      terminalId: referenceIfAny(terminalId),
      payerAuthentication,
      eci: referenceIfAny(eci),
      gateOrderId: referenceIfAny(gateOrderId),
      cardToken: wholeReference(cardToken),
      networkTransactionId: wholeReference(networkTransactionId),
    }),
    ...(loyalty && { loyalty: loyaltyOf(loyalty) }),
    ...(commission && { commission }),
  };
};

/** Stored approvals always have the member: an empty text is a gate that gave none, and no answer shows it. */
const approvalCodeOf = ({ approvalCode = '' }: Approved): string => reference(approvalCode);

/** Copies the contract's answer member by member, so that nothing else of the adapter's object reaches an event. */
export const followUpAnswerOf = (answer: FollowUpWord): FollowUpAnswer => {
  switch (answer.kind) {
    case 'approved':
      return { kind: 'approved', receipt: receiptOf(answer), approvalCode: approvalCodeOf(answer) };
    case 'declined': {
      const { code } = answer;
      const advice = told(answer.advice);
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

/** Protects what an event may not hold in clear of a choice. */
export interface ChoiceProtection {
  readonly now: Instant;
  readonly feeChoiceMs: number;
  /** Seals the session by which the gate is told the choice. */
  seal(session: string): Sealed;
}

/** As it stands in the path of complete transfer (protocol decisions, section 8). */
const OPTION = /^(?!status$)[a-z0-9-]{1,64}$/;

/** The gate's fees, as they can be offered: options that an app could not name, or not tell apart, are no offer. */
export const choiceOf = ({ options, session }: ChoiceNeeded, protection: ChoiceProtection): GateAnswer | GateChoice => {
  const [first, ...others] = options.map(({ option, commission }) => ({ option, commission }));
  const isOffer = options.every(({ option, commission }) => OPTION.test(option) && commission.minor >= 0n);
  const isDistinct = new Set(options.map(({ option }) => option)).size === options.length;
  if (first === undefined || !isOffer || !isDistinct) return { kind: 'unknown', cause: 'unrecognised-answer', isCallOver: true };
  return {
    kind: 'choice-needed',
    offers: [first, ...others],
    session: protection.seal(session.reveal()),
    choiceDueAt: addMs(protection.now, protection.feeChoiceMs),
  };
};

/** As `followUpAnswerOf`, for a charge. */
export const gateAnswerOf = (answer: ChargeAnswer, payer: AnswerProtection): GateAnswer => {
  if (answer.kind === 'approved' && answer.randomSum !== undefined) {
    const randomSum = payer.digest(answer.randomSum);
    return { kind: 'approved', receipt: { ...receiptOf(answer), randomSum }, approvalCode: approvalCodeOf(answer) };
  }
  if (answer.kind !== 'payer-needed') return followUpAnswerOf(answer);
  const { transactionId, page, isHosted } = answer;
  return {
    kind: 'payer-needed',
    transactionId: reference(transactionId),
    page: payer.seal(page),
    payerDueAt: addMs(payer.now, payer.payerMs),
    ...(isHosted === true && { isHosted }),
  };
};
