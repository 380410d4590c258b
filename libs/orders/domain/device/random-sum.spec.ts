import type { OrderId } from '@app/kernel';
import { afterAcceptance, deciderSpec, RANDOM_SUM } from '@app/testing';
import type { RandomSumDigest } from '../attempt.events';
import { randomSum, randomSumResult, type RandomSumWithdrawn } from './random-sum';

const { given } = deciderSpec(randomSum);
const FIRST = { orderId: 'v0sample0order1r' as OrderId, sum: RANDOM_SUM, withdrawnAt: afterAcceptance(100) };
const SECOND = { orderId: 'v0sample0order2r' as OrderId, sum: 'd2'.repeat(32) as RandomSumDigest, withdrawnAt: afterAcceptance(200) };
const withdrawn = (data: RandomSumWithdrawn['data']): RandomSumWithdrawn => ({ type: 'RandomSumWithdrawn', data });
const record = (data: RandomSumWithdrawn['data']) => ({ type: 'RecordRandomSum' as const, data });

describe('random sums of a card (protocol decisions, section 7)', () => {
  it('are recorded once for each verification', () => {
    given().when(record(FIRST)).then(withdrawn(FIRST));
    given(withdrawn(FIRST)).when(record(FIRST)).thenRejected({ reason: 'nothing-new' });
  });

  it('are replaced only by a later withdrawal [W366]', () => {
    given(withdrawn(FIRST)).when(record(SECOND)).then(withdrawn(SECOND));
    given(withdrawn(SECOND)).when(record(FIRST)).thenRejected({ reason: 'nothing-new' });
    expect(given(withdrawn(FIRST), withdrawn(SECOND)).state).toStrictEqual(SECOND);
  });

  it.each([
    ['nothing was withdrawn', undefined, RANDOM_SUM, undefined],
    ['nothing was reported', FIRST, undefined, undefined],
    ['the reported sum is the one withdrawn', FIRST, RANDOM_SUM, 'AUTHENTICATED'],
    ['the reported sum is another one', FIRST, SECOND.sum, 'NOT_AUTHENTICATED'],
  ] as const)('are compared with the reported sum: %s', (_what, newest, reported, result) => {
    expect(randomSumResult(newest, reported)).toBe(result);
  });
});
