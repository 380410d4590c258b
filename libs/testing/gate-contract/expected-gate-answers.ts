import { timeEnoughFor, withTaken } from '../call-limit';
import type {
  Approved,
  ChargeAnswer,
  Declined,
  Gate,
  InquiryAnswer,
  AcquirerReferences,
  SentRequest,
} from '@app/gateway-adapters/contract';
import type { GateTraits } from './gate-under-contract';

/** JSON cannot represent bigint amounts. */
export const textOf = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));

const expectReceipt = (answer: AcquirerReferences): void => {
  expect(answer.transactionId).toMatch(/^[\x21-\x7e]{1,128}$/);
  expect(Number.isInteger(answer.processedAt)).toBe(true);
};
export const expectApproved = (answer: ChargeAnswer | InquiryAnswer): Approved => {
  if (answer.kind !== 'approved') throw new Error(`expected an approval, answer ${textOf(answer)}`);
  expectReceipt(answer);
  if (answer.approvalCode !== undefined) expect(answer.approvalCode).toMatch(/^[0-9A-Za-z]{1,16}$/);
  return answer;
};
export const expectDeclined = (answer: ChargeAnswer | InquiryAnswer): Declined => {
  if (answer.kind !== 'declined') throw new Error(`expected a decline, answer ${textOf(answer)}`);
  expectReceipt(answer);
  expect(Number.isInteger(answer.code)).toBe(true);
  return answer;
};

export const neverReceived = ({ tellsNotFound = true }: GateTraits): unknown =>
  tellsNotFound ? { kind: 'not-found' } : { kind: 'unknown', cause: expect.any(String) as string };

/** A gate without `not-found` may refuse a key that it already has. No key is ever sent twice. */
export const isRefusedAgain = ({ kind }: ChargeAnswer, { tellsNotFound = true }: GateTraits): boolean =>
  kind === 'not-asked' && !tellsNotFound;

export const inquiryAt = ({ inquiring }: Gate, sent: SentRequest): Promise<InquiryAnswer> => {
  if (inquiring === undefined) throw new Error('the gate takes no inquiries');
  return inquiring.inquire(withTaken(sent), timeEnoughFor(sent));
};
