import fc from 'fast-check';
import {
  balanceVerdict,
  clearedAtMs,
  type BalanceVerdict,
  type FollowUpClaim,
  type FollowUpViolation,
  type Moved,
  type Original,
} from './follow-up-balance';

const APPROVED_AT = Date.UTC(2024, 0, 1, 12);
const MIDNIGHT = Date.UTC(2024, 0, 2);
const charged: Original = { operation: 'charge', amountMinor: 1_000n, currency: 'USD', approvedAtMs: APPROVED_AT };
const authorised: Original = { ...charged, operation: 'authorise' };
const claim = (asked: FollowUpClaim['asked'], amountMinor = 1_000n, more: Partial<FollowUpClaim> = {}): FollowUpClaim => ({
  asked,
  amountMinor,
  currency: 'USD',
  receivedAtMs: APPROVED_AT,
  isPartCaptured: true,
  isPartReturned: true,
  ...more,
});
const moved = (operation: Moved['operation'], amountMinor = 1_000n): Moved => ({ operation, amountMinor });
const allowed = (operation: Moved['operation']): BalanceVerdict => ({ kind: 'allowed', operation });
const violation = (kind: FollowUpViolation): BalanceVerdict => ({ kind: 'violation', violation: kind });

describe('the balance of a transaction at the acquirer', () => {
  it('allows one capture of an authorisation, up to the remaining amount [W452]', () => {
    expect(balanceVerdict(claim('capture'), authorised, [])).toEqual(allowed('capture'));
    expect(balanceVerdict(claim('capture', 600n), authorised, [moved('cancel', 400n)])).toEqual(allowed('capture'));
    expect(balanceVerdict(claim('capture', 601n), authorised, [moved('cancel', 400n)])).toEqual(violation('captured-above-authorised'));
    expect(balanceVerdict(claim('capture', 1n), authorised, [moved('capture', 1n)])).toEqual(violation('captured-twice'));
    expect(balanceVerdict(claim('capture'), charged, [])).toEqual(violation('follow-up-misplaced'));
  });

  it('allows returns up to the charged amount or up to the uncaptured authorisation [W453]', () => {
    expect(balanceVerdict(claim('return'), charged, [])).toEqual(allowed('reversal'));
    expect(balanceVerdict(claim('return'), authorised, [])).toEqual(allowed('cancel'));
    const captured = [moved('cancel', 400n), moved('capture', 600n)];
    expect(balanceVerdict(claim('return', 600n), authorised, captured)).toEqual(allowed('reversal'));
    expect(balanceVerdict(claim('return', 601n), authorised, captured)).toEqual(violation('returned-above-taken'));
    expect(balanceVerdict(claim('return', 400n), charged, [moved('reversal', 601n)])).toEqual(violation('returned-above-taken'));
  });

  it('allows a void until midnight UTC, declines it in the next minute, then reports a violation [W454]', () => {
    expect(clearedAtMs(APPROVED_AT)).toBe(MIDNIGHT);
    expect(clearedAtMs(MIDNIGHT)).toBe(Date.UTC(2024, 0, 3));
    const at = (receivedAtMs: number) => balanceVerdict(claim('void', 1_000n, { receivedAtMs }), charged, []);
    expect(at(MIDNIGHT - 1)).toEqual(allowed('void'));
    expect(at(MIDNIGHT)).toEqual({ kind: 'cleared' });
    expect(at(MIDNIGHT + 59_999)).toEqual({ kind: 'cleared' });
    expect(at(MIDNIGHT + 60_000)).toEqual(violation('voided-after-clearing'));
  });

  it.each([
    ['void of an authorisation', claim('void'), authorised, []],
    ['void of a part', claim('void', 999n), charged, []],
    ['void after a return', claim('void'), charged, [moved('reversal', 1n)]],
    ['anything after a void', claim('return', 1n), charged, [moved('void')]],
    ['anything of a verification', claim('return', 1n), { ...charged, operation: 'verify' as const }, []],
    ['return of a transfer', claim('return'), { ...charged, operation: 'transfer' as const }, []],
    ['void of a transfer', claim('void'), { ...charged, operation: 'transfer' as const }, []],
    ['another currency', claim('return', 1n, { currency: 'EUR' }), charged, []],
    ['nothing', claim('return', 0n), charged, []],
  ])('reports a violation: %s', (_, asked, original, before) => {
    expect(balanceVerdict(asked, original, before)).toEqual(violation('follow-up-misplaced'));
  });

  it('allows partial amounts only if the gate supports them', () => {
    const whole = { isPartCaptured: false, isPartReturned: false };
    expect(balanceVerdict(claim('capture', 999n, whole), authorised, [])).toEqual(violation('part-not-served'));
    expect(balanceVerdict(claim('return', 999n, whole), charged, [])).toEqual(violation('part-not-served'));
    expect(balanceVerdict(claim('return', 600n, whole), authorised, [moved('capture', 600n)])).toEqual(allowed('reversal'));
  });

  it('never moves out more than came in, for random sequences of requests', () => {
    const asked = fc.record({ asked: fc.constantFrom('capture', 'return', 'void'), amountMinor: fc.bigInt({ min: -1n, max: 1_001n }) });
    fc.assert(
      fc.property(fc.constantFrom(charged, authorised), fc.array(asked, { maxLength: 20 }), (original, requests) => {
        const kept: Moved[] = [];
        for (const one of requests) {
          const verdict = balanceVerdict(claim(one.asked, one.amountMinor), original, kept);
          if (verdict.kind === 'allowed') kept.push({ operation: verdict.operation, amountMinor: one.amountMinor });
        }
        const sum = (operation: Moved['operation']) =>
          kept.reduce((total, one) => (one.operation === operation ? total + one.amountMinor : total), 0n);
        const taken = original.operation === 'charge' ? original.amountMinor : sum('capture');
        expect(sum('capture') + sum('cancel') <= original.amountMinor).toBe(true);
        expect(sum('reversal') + sum('void') <= taken).toBe(true);
        expect(kept.filter(({ operation }) => operation === 'capture').length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
