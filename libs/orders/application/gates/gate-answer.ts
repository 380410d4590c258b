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

const TEXT_CHARACTERS_MAX = 1_024;

/** Omits a text with a possible card number, which no event may hold; the answer still counts. */
const told = (text: string | undefined): string | undefined =>
  text === undefined || looksLikeCardNumber(text) ? undefined : text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed();

/** Cut to the length that an event can hold. */
const reference = (text: string): string => text.slice(0, ID_LENGTH_MAX).toWellFormed();
const referenceIfAny = (text: string | undefined): string | undefined => (text === undefined ? undefined : reference(text));
/** A reference that is sent back to a gate is useless if cut. */
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

/** Stored approvals always have the member, empty if the gate gave none. */
const approvalCodeOf = ({ approvalCode = '' }: Approved): string => reference(approvalCode);

/** Copies member by member, so that nothing else of the adapter's object reaches an event. */
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

/** No event may hold these parts in clear. */
export interface AnswerProtection {
  readonly now: Instant;
  readonly payerMs: number;
  seal(page: PayerNeeded['page']): Sealed;
  /** Only the cardholder may know the sum. */
  digest(sum: Money): RandomSumDigest;
}

export interface ChoiceProtection {
  readonly now: Instant;
  readonly feeChoiceMs: number;
  seal(session: string): Sealed;
}

/** As in the path of complete transfer (protocol decisions, section 8). */
const OPTION = /^(?!status$)[a-z0-9-]{1,64}$/;

/** Offers only options that an app can name and distinguish. */
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
