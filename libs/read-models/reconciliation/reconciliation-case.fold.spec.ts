import type { EventMetadata } from '@app/event-store';
import type { Currency, GateAlias, Instant, Sealed } from '@app/kernel';
import type { CaseEvent } from '@app/reconciliation/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { foldReconciliationCase } from './reconciliation-case.fold';
import type { ReconciliationCaseView } from './reconciliation-case.view';

const AT = 1_767_225_600_000 as Instant;
const data = {
  gate: 'sim-a' as GateAlias,
  kind: 'different',
  source: 'file',
  original: 'key-1',
  operation: 'sale',
  differences: [],
  openedAt: AT,
} as const;
const opened: CaseEvent = {
  type: 'CaseOpened',
  data: { ...data, told: { status: 'declined', amount: { minor: 1_042n, currency: 'USD' as Currency }, commissionMinor: 1n, line: 2 } },
};
const closed: CaseEvent = { type: 'CaseClosed', data: { reason: 'sealed' as Sealed, closedAt: AT } };
const applied: CaseEvent = { type: 'CaseApplied', data: { to: 'declined', effect: 'resolved', reason: 'sealed' as Sealed, appliedAt: AT } };
const fold = (...events: readonly CaseEvent[]) =>
  events.reduce<ReconciliationCaseView | undefined>(
    (view, event, index) =>
      foldReconciliationCase(view, { event, metadata: { actor: `operator:${index}` } as EventMetadata } as LogEvent<CaseEvent>),
    undefined,
  );

describe('reconciliation case', () => {
  it('is open with the data from the gate, as JSON values', () => {
    const told = { status: 'declined', amountMinor: '1042', currency: 'USD', commissionMinor: '1', line: 2 };
    const open = { status: 'open', effect: null, closedAt: null, openedBy: 'operator:0', closedBy: null };
    expect(fold(opened)).toStrictEqual({ ...data, told, ...open });
    expect(fold({ type: 'CaseOpened', data })).toMatchObject({ told: null });
    expect(fold({ type: 'CaseOpened', data: { ...data, told: { status: 'open' } } })).toMatchObject({ told: { status: 'open' } });
  });

  it('is closed by the operator who closed or applied it', () => {
    expect(fold(opened, closed)).toMatchObject({ status: 'closed', closedAt: AT, closedBy: 'operator:1' });
    expect(fold(opened, applied)).toMatchObject({ status: 'applied', effect: 'resolved', closedBy: 'operator:1' });
  });

  it('is open again if the difference recurred after it was applied', () => {
    const again = { type: 'CaseOpened', data: { ...data, fileDigest: 'cd', openedAt: (AT + 1) as Instant } } as const;
    const open = { status: 'open', effect: null, closedAt: null, openedBy: 'operator:2', closedBy: null };
    expect(fold(opened, applied, again)).toStrictEqual({ ...again.data, told: null, ...open });
  });

  it('refuses an event that cannot follow the previous state', () => {
    expect(() => fold(closed)).toThrow(CannotApply);
    expect(() => fold(opened, opened)).toThrow('CaseOpened of a case that is open');
    expect(() => fold(opened, closed, opened)).toThrow('CaseOpened of a case that is closed');
    expect(() => fold(opened, closed, applied)).toThrow('a case that is closed');
    expect(() => fold(opened, { type: 'UnheardOf' } as never)).toThrow('no case for');
  });
});
