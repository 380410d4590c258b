import fc from 'fast-check';
import type { Currency, Instant } from '@app/kernel';
import { AT, line, ORDER, own } from '../testing/lines';
import {
  compareAnswer,
  compareGroup,
  differencesOf,
  expectedIn,
  missingHere,
  type NumberedLine,
  type OwnTransaction,
  groupsOf,
} from './compare';

const always = () => true;
const never = () => false;
const kindsOf = (ours: readonly OwnTransaction[], lines: readonly NumberedLine[], isExpected = always) =>
  compareGroup({ order: ORDER, transactions: ours }, lines, isExpected).map(({ kind }) => kind);

describe('a transaction and its settlement line', () => {
  it('are equal if all fields present in both agree, to the second', () => {
    expect(
      differencesOf(own(), line({ processedAt: (AT + 999) as Instant, rrn: 'r', gateOrderId: 'g', commissionMinor: 1n })),
    ).toStrictEqual([]);
  });

  it.each<[string, Partial<OwnTransaction>, Partial<NumberedLine>, object]>([
    ['operation', {}, { operation: 'preauth' }, { field: 'operation', ours: 'sale', theirs: 'preauth' }],
    ['amount', {}, { amount: { minor: 1n, currency: 'USD' as Currency } }, { field: 'amount', ours: '10.42', theirs: '0.01' }],
    ['currency', {}, { amount: { minor: 1_042n, currency: 'EUR' as Currency } }, { field: 'currency', ours: 'USD', theirs: 'EUR' }],
    ['commission', { commissionMinor: '10' }, { commissionMinor: 11n }, { field: 'commission', ours: '0.10', theirs: '0.11' }],
    [
      'moment',
      {},
      { processedAt: (AT + 1_000) as Instant },
      { field: 'processed-at', ours: '2026-01-01T00:00:00.000Z', theirs: '2026-01-01T00:00:01.000Z' },
    ],
    ['gate’s name of the order', { gateOrderId: 'a' }, { gateOrderId: 'b' }, { field: 'gate-order-id', ours: 'a', theirs: 'b' }],
  ])('differ by the %s', (_, ours, theirs, difference) => {
    expect(differencesOf(own(ours), line(theirs))).toStrictEqual([difference]);
  });

  it('differ only by the status if it is different, at any time', () => {
    expect(differencesOf(own(), line({ status: 'declined', processedAt: (AT + 60_000) as Instant }))).toStrictEqual([
      { field: 'status', ours: 'approved', theirs: 'declined' },
    ]);
    expect(differencesOf(own({ status: 'open' }), line())).toMatchObject([{ field: 'status', ours: 'open' }]);
  });

  it('are equal if neither moved money, and the amount of a verification is ignored', () => {
    expect(differencesOf(own({ status: 'not-asked', processedAt: null }), line({ status: 'declined' }))).toStrictEqual([]);
    const verification = { operation: 'account-verification' } as const;
    expect(differencesOf(own(verification), line({ ...verification, amount: { minor: 0n, currency: 'XXX' as Currency } }))).toStrictEqual(
      [],
    );
  });
});

describe('compareGroup', () => {
  const refund = (key: string, minor: string, change: Partial<OwnTransaction> = {}) =>
    own({ key, followUp: 1, operation: 'return', amountMinor: minor, ...change });
  const refundLine = (reference: string, minor: bigint, change: Partial<NumberedLine> = {}) =>
    line({ reference, operation: 'return', amount: { minor, currency: 'USD' as Currency }, ...change });

  it('matches follow-ups by their attempt key', () => {
    const ours = [own(), refund('key-2', '10'), refund('key-3', '10')];
    const theirs = [line(), refundLine('b', 11n, { key: 'key-3' }), refundLine('a', 10n, { key: 'key-2' })];
    expect(kindsOf(ours, theirs)).toStrictEqual(['matched', 'different', 'matched']);
    expect(kindsOf(ours, [line(), refundLine('a', 10n, { key: 'key-9' })])).toStrictEqual([
      'matched',
      'missing-here',
      'missing-there',
      'missing-there',
    ]);
  });

  it('matches by the gate’s reference, then by operation and amount, if the line has no key', () => {
    const ours = [own(), refund('key-2', '10', { rrn: 'r2' }), refund('key-3', '20')];
    expect(kindsOf(ours, [line(), refundLine('a', 20n), refundLine('b', 10n, { rrn: 'r2' })])).toStrictEqual([
      'matched',
      'matched',
      'matched',
    ]);
    expect(kindsOf(ours, [line(), refundLine('a', 21n), refundLine('b', 10n)])).toStrictEqual(['matched', 'different', 'matched']);
  });

  it('ignores a follow-up that was never sent', () => {
    expect(kindsOf([own(), refund('key-2', '10', { key: null, status: 'accepted' })], [line(), refundLine('a', 10n)], never)).toStrictEqual(
      ['matched', 'missing-here'],
    );
  });

  it('reports a duplicate if the gate settled an attempt or a follow-up twice', () => {
    expect(compareGroup({ order: ORDER, transactions: [own()] }, [line(), line({ line: 3, reference: 'other' })], always)).toMatchObject([
      { kind: 'matched' },
      { kind: 'duplicate', first: 2, line: { line: 3 } },
    ]);
    expect(kindsOf([own(), refund('key-2', '10')], [line(), refundLine('a', 10n), refundLine('a', 10n)])).toStrictEqual([
      'matched',
      'matched',
      'duplicate',
    ]);
    expect(missingHere([line(), line({ line: 9 })]).map(({ kind }) => kind)).toStrictEqual(['missing-here', 'duplicate']);
  });

  it('reports a transaction as missing only if the gate must mention it', () => {
    expect(kindsOf([own()], [])).toStrictEqual(['missing-there']);
    expect(kindsOf([own()], [], never)).toStrictEqual([]);
  });

  it('reports each line exactly once and each transaction exactly once', () => {
    const reference = fc.constantFrom('a', 'b', 'c');
    const minor = fc.bigInt({ min: 1n, max: 3n });
    const theirs = fc.array(fc.record({ reference, minor, isAttempt: fc.boolean() }), { maxLength: 8 });
    const ours = fc.array(minor, { maxLength: 5 });
    fc.assert(
      fc.property(ours, theirs, (sums, told) => {
        const transactions = [own(), ...sums.map((sum, index) => refund(`key-${index + 2}`, String(sum)))];
        const lines = told.map(({ isAttempt, ...one }, index) =>
          isAttempt ? line({ line: index, reference: one.reference }) : refundLine(one.reference, one.minor, { line: index }),
        );
        const findings = compareGroup({ order: ORDER, transactions }, lines, always);
        const mentioned = findings.flatMap((finding) => ('line' in finding ? [finding.line.line] : [])).sort((a, b) => a - b);
        expect(mentioned).toStrictEqual(lines.map((one) => one.line));
        const named = findings.flatMap((finding) => ('ours' in finding ? [finding.ours] : []));
        expect(new Set(named).size).toBe(transactions.length);
        expect(named).toHaveLength(transactions.length);
      }),
    );
  });
});

it('transactions of several attempts and gates are grouped by attempt at one gate', () => {
  const asked = [
    own(),
    own({ key: 'key-2', original: 'key-2' }),
    own({ key: 'key-3', followUp: 1 }),
    own({ key: 'x', original: 'x', gate: 'other' }),
  ];
  expect(groupsOf(ORDER, asked, 'gate-a').map(({ transactions }) => transactions.map(({ key }) => key))).toStrictEqual([
    ['key-1', 'key-3'],
    ['key-2'],
  ]);
});

it.each<[string, Partial<OwnTransaction>, boolean]>([
  ['approved in the period', {}, true],
  ['approved before', { processedAt: (AT - 1) as Instant }, false],
  ['approved after', { processedAt: (AT + 1_000) as Instant }, false],
  ['declined', { status: 'declined' }, false],
  ['a verification', { operation: 'account-verification' }, false],
  ['younger than the flight', { askedAt: (AT + 500) as Instant }, false],
  ['approved without the gate’s time', { processedAt: null }, true],
])('the settlement file must contain a transaction that is %s: %s', (_, change, isExpected) => {
  const period = { from: AT, before: (AT + 1_000) as Instant };
  expect(expectedIn(period, (AT + 500) as Instant)(own(change))).toBe(isExpected);
});

describe('compareAnswer with a gate’s answer to an inquiry', () => {
  const told = { kind: 'approved', processedAt: AT, reference: 't' } as const;
  it.each([
    ['that agrees with our record', own(), told, 'matched'],
    ['with another outcome', own(), { ...told, kind: 'declined' as const }, 'different'],
    ['with another commission', own({ commissionMinor: '1' }), { ...told, commissionMinor: 2n, gateOrderId: 'g', rrn: 'r' }, 'different'],
    ['not-found for an approved attempt', own(), { kind: 'not-found' as const }, 'missing-there'],
    ['not-asked for a declined attempt', own({ status: 'declined' }), { kind: 'not-asked' as const }, 'matched'],
    ['that is undecided', own(), { kind: 'undecided' as const }, 'not-told'],
    ['for an attempt that is still open here', own({ status: 'open' }), told, 'not-told'],
  ])('returns the finding for an answer %s', (_, ours, answer, kind) => {
    expect(compareAnswer(ours, answer).kind).toBe(kind);
  });
});
