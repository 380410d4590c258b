import { ID_LENGTH_MAX } from '@app/event-store';
import type { Instant, Sealed } from '@app/kernel';
import type { RandomSumDigest } from '../../domain';
import { followUpAnswerOf, gateAnswerOf } from './gate-answer';

const AT = 1_704_067_200_000 as Instant;
const CARD_IN_TEXT = 'Card 4444 3333 2222 1111 was refused';
const PROTECTION = { now: AT, payerMs: 900_000, seal: () => 'sealed' as Sealed, digest: () => 'digest' as RandomSumDigest };

describe('a gate’s answer in an event', () => {
  it('omits advice and loyalty texts that look like card numbers, but keeps the rest', () => {
    const declined = { kind: 'declined', transactionId: 'tx', processedAt: AT, code: 116, advice: CARD_IN_TEXT } as const;
    expect(followUpAnswerOf(declined)).toEqual({ kind: 'declined', code: 116, receipt: { transactionId: 'tx', processedAt: AT } });
    const approved = { kind: 'approved', transactionId: 'tx', processedAt: AT, approvalCode: 'A1' } as const;
    expect(followUpAnswerOf({ ...approved, loyalty: { message: CARD_IN_TEXT, balance: '12' } })).toMatchObject({
      receipt: { loyalty: { balance: '12' } },
    });
  });

  it('contains the gate’s advice up to the length limit', () => {
    const declined = { kind: 'declined', transactionId: 'tx', processedAt: AT, code: 116 } as const;
    expect(followUpAnswerOf({ ...declined, advice: 'Top up the card' })).toMatchObject({ advice: 'Top up the card' });
    expect(followUpAnswerOf({ ...declined, advice: '€'.repeat(2_000) })).toMatchObject({ advice: '€'.repeat(1_024) });
  });

  it('records whether the gate hosts the challenge and seals its page', () => {
    const challenge = { kind: 'payer-needed', transactionId: 'tx', page: { address: 'https://acs.example/' } } as const;
    const expected = { kind: 'payer-needed', transactionId: 'tx', page: 'sealed', payerDueAt: AT + 900_000 };
    expect(gateAnswerOf(challenge, PROTECTION)).toStrictEqual(expected);
    expect(gateAnswerOf({ ...challenge, isHosted: true }, PROTECTION)).toStrictEqual({ ...expected, isHosted: true });
  });

  it('truncates references to the length limit without splitting a character', () => {
    const long = '😀'.repeat(ID_LENGTH_MAX);
    const answer = followUpAnswerOf({
      kind: 'approved',
      transactionId: long,
      processedAt: AT,
      approvalCode: `x${long}`,
      rrn: long,
      terminalId: long,
      gateOrderId: long,
    });
    if (answer.kind !== 'approved') throw new Error('another answer');
    const { transactionId, rrn, terminalId, gateOrderId } = answer.receipt;
    for (const text of [answer.approvalCode, transactionId, rrn, terminalId, gateOrderId]) {
      expect(text).toHaveLength(ID_LENGTH_MAX);
      expect(text?.isWellFormed()).toBe(true);
    }
    const page = { action: 'https://acs.example/', fields: {} };
    expect(gateAnswerOf({ kind: 'payer-needed', transactionId: long, page }, PROTECTION)).toMatchObject({
      transactionId: '😀'.repeat(ID_LENGTH_MAX / 2),
    });
  });
});
