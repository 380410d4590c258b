import fs, { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { SETTLED_OPERATIONS } from '@app/gateway-adapters/contract';
import type { Currency, Instant } from '@app/kernel';
import { line, ORDER, own } from '../testing/lines';
import { Partitions, groupOfText, groupText, keyOfGroupText, lineOfText, lineText } from './spilled';

const word = fc.stringMatching(/^[!-~]{1,12}$/);
const instant = fc.integer({ min: 0, max: 4_000_000_000_000 }).map((ms) => ms as Instant);
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const operation = fc.constantFrom(...SETTLED_OPERATIONS);
const minor = fc.bigInt({ min: 0n, max: 10n ** 15n });

it('a group of transactions is read from a temporary file unchanged', () => {
  const transaction = fc.record({
    key: orNull(word),
    followUp: orNull(fc.integer({ min: 1, max: 1_000 })),
    operation,
    amountMinor: minor.map(String),
    status: fc.constantFrom('accepted' as const, 'open' as const, 'approved' as const, 'declined' as const, 'not-asked' as const),
    askedAt: instant,
    answeredAt: orNull(instant),
    processedAt: orNull(instant),
    commissionMinor: orNull(minor.map(String)),
    gateOrderId: orNull(fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.toWellFormed())),
    rrn: orNull(fc.string({ unit: fc.constantFrom('\t', '\n', ' ', '%', 'é', '1'), minLength: 1 })),
  });
  fc.assert(
    fc.property(word, fc.array(transaction, { minLength: 1, maxLength: 4 }), (original, members) => {
      const group = { order: ORDER, transactions: members.map((member) => own({ ...member, original })) };
      const spilled = groupText(group);
      expect(spilled).not.toContain('\n');
      expect([keyOfGroupText(spilled), groupOfText(spilled)]).toStrictEqual([original, group]);
    }),
  );
});

it('a settlement line is read from a temporary file unchanged', () => {
  const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const members = fc.record({ key: optional(word), gateOrderId: optional(word), rrn: optional(word), commissionMinor: optional(minor) });
  fc.assert(
    fc.property(members, operation, minor, instant, (given, settled, sum, processedAt) => {
      const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const one = line({ ...present, operation: settled, amount: { minor: sum, currency: 'EUR' as Currency }, processedAt });
      expect(lineOfText(lineText(one))).toStrictEqual(one);
    }),
  );
});

describe('partitions', () => {
  it('keep the lines of a key together and in order, for any length and script', () => {
    const text = fc.oneof(fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 20 }), fc.constant('é'.repeat(70_000)));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('k1', 'k2', 'k3'), text), { maxLength: 12 }), (added) => {
        const partitions = new Partitions(4);
        try {
          for (const [key, one] of added) partitions.add(key, `${key} ${one}`);
          const found = [0, 1, 2, 3].flatMap((index) => [...partitions.lines(index)]);
          for (const key of ['k1', 'k2', 'k3'])
            expect(found.filter((one) => one.startsWith(key))).toStrictEqual(
              added.filter(([other]) => other === key).map(([, one]) => `${key} ${one}`),
            );
          expect(found).toHaveLength(added.length);
        } finally {
          partitions.close();
        }
      }),
      { numRuns: 30 },
    );
  });

  it('have no name in the file system, so that a killed process leaves no file', () => {
    const named = () => readdirSync(tmpdir()).filter((name) => name.startsWith('orch-reconcile-'));
    const before = named();
    const partitions = new Partitions(2);
    partitions.add('k', 'line');
    expect(named().filter((name) => !before.includes(name))).toStrictEqual([]);
    expect([...partitions.lines(0), ...partitions.lines(1)]).toStrictEqual(['line']);
    partitions.close();
  });

  it('are complete even if the disk accepts only partial writes', () => {
    const { writeSync } = fs;
    const writing = jest
      .spyOn(fs, 'writeSync')
      .mockImplementation(((file: number, bytes: Uint8Array, from: number, length: number) =>
        writeSync(file, bytes, from, Math.min(length, 1_000))) as typeof writeSync);
    const partitions = new Partitions(1);
    try {
      const lines = ['é'.repeat(70_000), 'short', 'x'.repeat(9_000)];
      for (const line of lines) partitions.add('k', line);
      expect([...partitions.lines(0)]).toStrictEqual(lines);
    } finally {
      partitions.close();
      writing.mockRestore();
    }
  });

  it('throw for an index that does not exist', () => {
    const partitions = new Partitions(1);
    expect(() => [...partitions.lines(1)]).toThrow('there is no partition 1');
    partitions.close();
  });
});
