import type { AttemptKey, GateAlias, Instant } from '@app/kernel';
import { claimedAt, type Attempts } from './attempts.state';
import { approvalOf } from './order-fact';
import { reasonText } from './reason-text';

const KEY = 'key-1' as AttemptKey;
const attempts = (more: object): Attempts =>
  ({ key: KEY, gate: 'sim-a' as GateAlias, sentAt: 5 as Instant, ...more }) as unknown as Attempts;

it('approvalOf returns what the approving gate returned, and undefined for an approval by a person or another result', () => {
  const receipt = { gateOrderId: 'G-1', cardToken: undefined, networkTransactionId: 'N-1' };
  const approved = attempts({ status: 'approved', by: 'gate', receipt });
  expect(approvalOf(approved)).toStrictEqual({ gate: 'sim-a', attemptKey: KEY, gateOrderId: 'G-1', networkTransactionId: 'N-1' });
  expect(approvalOf(attempts({ status: 'approved', by: 'person', receipt }))).toBeUndefined();
  expect(approvalOf(attempts({ status: 'declined', by: 'gate' }))).toBeUndefined();
});

it('claimedAt returns when the open call of a claim was sent, and undefined for another attempt or a known outcome', () => {
  expect(claimedAt(attempts({ status: 'started' }), KEY, 'first')).toBe(5);
  expect(claimedAt(attempts({ status: 'unknown' }), KEY, 'first')).toBe(5);
  expect(claimedAt(attempts({ status: 'unknown', isPayerBack: true }), KEY, 'first')).toBeUndefined();
  expect(claimedAt(attempts({ status: 'approved' }), KEY, 'first')).toBeUndefined();
  expect(claimedAt(attempts({ status: 'started' }), KEY, 'second')).toBeUndefined();
  expect(claimedAt(attempts({ status: 'started' }), 'key-2' as AttemptKey, 'first')).toBeUndefined();
  expect(claimedAt({ status: 'none' }, KEY, 'first')).toBeUndefined();
});

it('reasonText gives the text of the catalogue, and the code of a gate that the catalogue does not have', () => {
  expect(reasonText(100)).not.toContain('Declined with code');
  expect(reasonText(98_765)).toBe('Declined with code 98765');
});
