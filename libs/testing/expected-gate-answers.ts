import type { Approved, ChargeAnswer, Declined, InquiryAnswer, Receipted } from '@app/gateway-adapters/contract';

const expectReceipt = (answer: Receipted): void => {
  expect(answer.transactionId).toMatch(/^[\x21-\x7e]{1,128}$/);
  expect(Number.isInteger(answer.processedAt)).toBe(true);
};
export const expectApproved = (answer: ChargeAnswer | InquiryAnswer): Approved => {
  if (answer.kind !== 'approved') throw new Error(`expected an approval, heard ${JSON.stringify(answer)}`);
  expectReceipt(answer);
  expect(answer.approvalCode).toMatch(/^[0-9A-Za-z]{1,16}$/);
  return answer;
};
export const expectDeclined = (answer: ChargeAnswer | InquiryAnswer): Declined => {
  if (answer.kind !== 'declined') throw new Error(`expected a decline, heard ${JSON.stringify(answer)}`);
  expectReceipt(answer);
  expect(Number.isInteger(answer.code)).toBe(true);
  return answer;
};
