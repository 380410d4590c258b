import type { MerchantLogin } from '@app/kernel';
import type { Output } from '../terminal/output';
import { paintFor } from '../terminal/paint';
import { showCopiedVault, type CopiedVault } from './vault-report';

const copied = (more: Partial<CopiedVault> = {}): CopiedVault => ({
  outcome: 'equal',
  merchant: 'acme' as MerchantLogin,
  cards: { carried: 2, held: 1, destroyed: 0 },
  uids: 2,
  orderKeys: { carried: 5, held: 0, destroyed: 3 },
  faults: [],
  ...more,
});
const linesOf = (one: CopiedVault, isJson = false): readonly string[] => {
  const lines: string[] = [];
  const output: Output = { paint: paintFor(false), isJson, line: (text = '') => void lines.push(text), problem: () => undefined };
  showCopiedVault(one, output);
  return lines;
};
const fault = (index: number) => ({ what: 'card' as const, name: `handle-${index}\u001b[2J`, text: 'the target holds another card' });

it('shows what was carried, what was there, and what is destroyed on both sides', () => {
  expect(linesOf(copied())).toStrictEqual([
    'equal: the target’s vault has what the source’s has of the merchant, under its own keys',
    '  cards: 2 carried, 1 there before',
    '  ids of card numbers: 2 carried',
    '  order keys: 5 carried, 0 there before; 3 of them shredded or erased, on both sides',
  ]);
});

it('names rows that are otherwise, twenty of them, as text that moves no cursor', () => {
  const lines = linesOf(copied({ outcome: 'differs', faults: Array.from({ length: 22 }, (_, index) => fault(index)) }));
  expect(lines[0]).toBe('not the same in both vaults: 22 rows, left as they are');
  expect(lines).toContain('  card handle-19\\u{1b}[2J: the target holds another card');
  expect(lines.at(-1)).toBe('  and 2 more; --json names them');
});

it('says how a stopped run goes on', () => {
  expect(linesOf(copied({ outcome: 'stopped' }))[0]).toBe('stopped between two batches: the same command again goes on from there');
});

it('is one object for programs', () => {
  const [line = '', ...more] = linesOf(copied({ outcome: 'differs', faults: [fault(1)] }), true);
  expect(more).toStrictEqual([]);
  expect(JSON.parse(line)).toStrictEqual({
    outcome: 'differs',
    merchant: 'acme',
    cards: { carried: 2, held: 1, destroyed: 0 },
    cardIds: { carried: 2 },
    orderKeys: { carried: 5, held: 0, destroyed: 3 },
    faults: [fault(1)],
  });
});
