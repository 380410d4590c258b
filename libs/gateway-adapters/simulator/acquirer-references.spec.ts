import fc from 'fast-check';
import { isLuhnValid, type AttemptKey, type GateAlias, type OrderId } from '@app/kernel';
import { acquirerReferences } from './answers';

const GATE = 'sim-a' as GateAlias;
const ORDER = 'p0a1b2c3d4e5f6gr' as OrderId;

describe('acquirerReferences', () => {
  it('contain the order id, have the field lengths and never look like a card number', () => {
    fc.assert(
      fc.property(fc.uuid(), (key) => {
        const { transactionId, rrn, terminalId, approvalCode } = acquirerReferences(GATE, key as AttemptKey, ORDER);
        expect(transactionId).toBe('PNTEST-p0a1b2c3d4e5f6gr');
        expect(rrn).toMatch(/^\d{12}$/);
        expect(isLuhnValid(rrn)).toBe(false);
        expect(terminalId).toMatch(/^[0-9A-Z]{8}$/);
        expect(approvalCode).toMatch(/^[0-9A-Z]{6}$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are the same for one attempt on each call and differ between attempts', () => {
    const [one, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as AttemptKey[];
    if (one === undefined || other === undefined) throw new Error('two keys');
    expect(acquirerReferences(GATE, one, ORDER)).toEqual(acquirerReferences(GATE, one, ORDER));
    const [first, second] = [acquirerReferences(GATE, one, ORDER), acquirerReferences(GATE, other, ORDER)];
    expect(first.rrn).not.toBe(second.rrn);
    expect(first.approvalCode).not.toBe(second.approvalCode);
    expect(first.terminalId).toBe(second.terminalId);
  });
});
