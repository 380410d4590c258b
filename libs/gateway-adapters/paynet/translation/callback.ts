import type { Instant } from '@app/kernel';
import type { InquiryAnswer, SentFollowUp, SentRequest } from '../../contract';
import type { AnswerFields } from '../wire/answer-fields';
import type { RefusalCodes } from './refusal-codes';
import { readFollowUpStatus } from './status';

/** Types of transactions that begin an order; one that follows it names no request of ours (protocol decisions, section 6). */
const INITIAL_TYPES: ReadonlySet<string> = new Set(['sale', 'preauth', 'account_verification', 'transfer']);

/** Whether a callback tells what became of an order itself, and not of what was done to it later. */
export const isOfInitialTransaction = (fields: AnswerFields): boolean => INITIAL_TYPES.has(fields.get('type') ?? '');

/**
 * What an authenticated callback says of the request, as `readStatus` reads a status; a status value that is not known is not final.
 * @param seenAt stands for the moment of the outcome, which a callback does not name
 */
export const callbackOutcome = (
  fields: AnswerFields,
  sent: SentRequest | SentFollowUp,
  { codes, seenAt }: { readonly codes: RefusalCodes; readonly seenAt: Instant },
): InquiryAnswer => {
  if ('operation' in sent) return { kind: 'unknown', cause: 'unrecognised-answer' };
  const members = new Map(fields);
  // In a status answer this member names the kind of the answer.
  members.delete('type');
  const expected = { clientOrderId: sent.key, gateOrderId: sent.gateOrderId, amount: sent.amount, codes };
  const outcome = readFollowUpStatus(members, expected, seenAt);
  return outcome.kind === 'undecided' ? { kind: 'unknown', cause: 'gate-undecided' } : outcome;
};
