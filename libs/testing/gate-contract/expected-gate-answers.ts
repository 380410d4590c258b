import { timeEnough } from '../call-limit';
import type {
  Approved,
  ChargeAnswer,
  Declined,
  Gate,
  InquiryAnswer,
  AcquirerReferences,
  SentRequest,
} from '@app/gateway-adapters/contract';

/** Readable text: money is a bigint, which JSON does not know. */
export const textOf = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));

const expectReceipt = (answer: AcquirerReferences): void => {
  expect(answer.transactionId).toMatch(/^[\x21-\x7e]{1,128}$/);
  expect(Number.isInteger(answer.processedAt)).toBe(true);
};
export const expectApproved = (answer: ChargeAnswer | InquiryAnswer): Approved => {
  if (answer.kind !== 'approved') throw new Error(`expected an approval, answer ${textOf(answer)}`);
  expectReceipt(answer);
  expect(answer.approvalCode).toMatch(/^[0-9A-Za-z]{1,16}$/);
  return answer;
};
export const expectDeclined = (answer: ChargeAnswer | InquiryAnswer): Declined => {
  if (answer.kind !== 'declined') throw new Error(`expected a decline, answer ${textOf(answer)}`);
  expectReceipt(answer);
  expect(Number.isInteger(answer.code)).toBe(true);
  return answer;
};

/** @throws Error where the gate takes no inquiries */
export const inquiryAt = ({ inquiring }: Gate, sent: SentRequest): Promise<InquiryAnswer> => {
  if (inquiring === undefined) throw new Error('the gate takes no inquiries');
  return inquiring.inquire(sent, timeEnough());
};
