import type { GateAlias, Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import { AT, line, ORDER, own } from '../testing/lines';
import { caseIdOf, caseStream, caseStreamOf, isCaseId } from '../reconciliation.codec';
import { reconciliationCase, type CaseCommand, type CaseEvent, type CaseOpened } from './case';
import { caseOf } from './case-of-finding';
import type { Finding } from './compare';

const { given } = deciderSpec(reconciliationCase);
const made = { gate: 'gate-a' as GateAlias, source: 'file' as const, fileDigest: 'ab' };
const different = {
  kind: 'different',
  order: ORDER,
  ours: own(),
  line: line({ status: 'declined', commissionMinor: 1n }),
  differences: [{ field: 'status', ours: 'approved', theirs: 'declined' }],
} as const satisfies Finding;
const data: CaseOpened['data'] = { ...caseOf(different, made), openedAt: AT };
const opened: CaseEvent = { type: 'CaseOpened', data };
const reason = 'sealed' as Sealed;
const open: CaseCommand = { type: 'OpenCase', data };
const close: CaseCommand = { type: 'CloseCase', data: { reason, now: AT } };
const apply: CaseCommand = { type: 'RecordApplied', data: { to: 'declined', effect: 'reconciled', reason, now: AT } };
const closed: CaseEvent = { type: 'CaseClosed', data: { reason, closedAt: AT } };
const applied: CaseEvent = { type: 'CaseApplied', data: { to: 'declined', effect: 'reconciled', reason, appliedAt: AT } };

describe('a reconciliation case', () => {
  it('is opened only once while it is open or closed', () => {
    given().when(open).then(opened);
    given(opened).when(open).thenRejected({ reason: 'opened-before' });
    given(opened, closed).when(open).thenRejected({ reason: 'opened-before' });
  });

  it('can be reopened after it was applied, and closed again', () => {
    const later: CaseOpened['data'] = { ...data, fileDigest: 'cd', openedAt: (AT + 1) as typeof AT };
    given(opened, applied).when({ type: 'OpenCase', data: later }).then({ type: 'CaseOpened', data: later });
    given(opened, applied, opened).when(open).thenRejected({ reason: 'opened-before' });
    given(opened, applied, opened).when(close).then(closed);
    given(opened, applied, opened, closed).when(open).thenRejected({ reason: 'opened-before' });
  });

  it.each([
    ['closed', close, closed],
    ['applied', apply, applied],
  ])('is %s once, and only if it is open', (_, command, event) => {
    given(opened).when(command).then(event);
    given().when(command).thenRejected({ reason: 'unknown-case' });
    given(opened, closed).when(command).thenRejected({ reason: 'closed-before' });
    given(opened, applied).when(command).thenRejected({ reason: 'closed-before' });
  });

  it('throws if its history contradicts itself', () => {
    const fold = (...events: readonly CaseEvent[]) => events.reduce(reconciliationCase.evolve, reconciliationCase.initial);
    expect(() => fold(closed)).toThrow('CaseClosed of a case that is none');
    expect(() => fold(opened, opened)).toThrow('CaseOpened of a case that is open');
    expect(() => fold(opened, closed, opened)).toThrow('CaseOpened of a case that is closed');
    expect(() => fold(opened, applied, applied)).toThrow('CaseApplied of a case that is applied');
    expect(() => fold(opened, closed, applied)).toThrow('CaseApplied of a case that is closed');
    expect(() => fold(opened, { type: 'UnheardOf' } as never)).toThrow('no case for');
  });
});

describe('the case of a finding', () => {
  it('contains the transaction, the order, the differences and the gate’s values', () => {
    expect(caseOf(different, made)).toStrictEqual({
      ...made,
      kind: 'different',
      original: 'key-1',
      key: 'key-1',
      operation: 'sale',
      order: { orderId: ORDER.orderId, merchant: ORDER.merchant },
      differences: different.differences,
      told: { status: 'declined', amount: line().amount, commissionMinor: 1n, processedAt: AT, reference: 'reference-1', line: 2 },
    });
    expect(caseOf({ kind: 'missing-there', order: ORDER, ours: own({ followUp: 2, key: null }) }, made)).toMatchObject({
      order: { followUp: 2 },
      differences: [],
    });
    expect(caseOf({ kind: 'missing-here', line: line() }, made)).not.toHaveProperty('order');
    expect(caseOf({ kind: 'missing-here', line: line({ reference: '' }) }, made)).not.toHaveProperty('told.reference');
    expect(caseOf({ kind: 'duplicate', order: ORDER, line: line(), first: 2 }, made)).toHaveProperty('order');
  });

  it('has one id for any file and time, and another id for another difference', () => {
    const streamOf = (change: Partial<CaseOpened['data']>) => caseStreamOf({ ...data, ...change });
    expect(streamOf({ fileDigest: 'cd', openedAt: 1 as never, source: 'inquiry' })).toBe(streamOf({}));
    expect(streamOf({ differences: [{ field: 'status', theirs: 'open' }] })).not.toBe(streamOf({}));
    expect(streamOf({ gate: 'other' as GateAlias })).not.toBe(streamOf({}));
    const id = caseIdOf(streamOf({}));
    expect([isCaseId(id), isCaseId(`${id}x`), caseStream(id)]).toStrictEqual([true, false, streamOf({})]);
  });
});
