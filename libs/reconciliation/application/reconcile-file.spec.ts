import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SettlementFormat, SettlementLine } from '@app/gateway-adapters/contract';
import type { Currency, Instant } from '@app/kernel';
import { csvRecord } from '../csv/csv';
import type { Finding } from '../domain/compare';
import { AT, ORDER, own } from '../testing/lines';
import { LINES_OF_ATTEMPT_MAX, ReconcileFile, type OwnOrder, type ReconcileFileSettings } from './reconcile-file';
import type { SetAsideLine } from './settlement-lines';

const COLUMNS = ['original', 'reference', 'status', 'minor', 'order', 'operation'];
const format: SettlementFormat = {
  columns: COLUMNS,
  references: ['original', 'reference', 'order'],
  read: ([original = '', reference = '', status = '', minor = '', order = '', operation = '']) => {
    if (original === '') return { column: 'original', must: 'must name an attempt' };
    if (operation === 'chargeback') return { column: 'operation', must: 'is later', original, isLaterEvent: true };
    return /^\d+$/.test(minor)
      ? {
          original,
          reference,
          operation: operation as SettlementLine['operation'],
          status: status as SettlementLine['status'],
          amount: { minor: BigInt(minor), currency: 'USD' as Currency },
          processedAt: AT,
          ...(order !== '' && { gateOrderId: order }),
        }
      : { column: 'minor', must: 'must be digits', original };
  },
};

const fileOf = (...rows: readonly (readonly string[])[]): Buffer => Buffer.from([COLUMNS, ...rows].map(csvRecord).join(''));
interface Change {
  readonly reference?: string;
  readonly status?: string;
  readonly minor?: string;
  readonly order?: string;
  readonly operation?: string;
}
const row = (original: string, change: Change = {}) => {
  const { reference = `of ${original}`, status = 'approved', minor = '1042', order = '', operation = 'sale' } = change;
  return [original, reference, status, minor, order, operation];
};
const orderOf = (key: string, change: Parameters<typeof own>[0] = {}): OwnOrder => ({
  order: { ...ORDER, orderId: key },
  asked: [own({ key, original: key, ...change })],
});

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield await Promise.resolve(bytes.subarray(from, from + size));
}
async function* pagesOf(orders: readonly OwnOrder[]): AsyncGenerator<readonly OwnOrder[]> {
  yield await Promise.resolve(orders);
}

const run = async (
  file: Buffer,
  orders: readonly OwnOrder[],
  {
    outside = [],
    pieceBytes = 64,
    ...settings
  }: Partial<ReconcileFileSettings> & { readonly outside?: readonly OwnOrder[]; readonly pieceBytes?: number } = {},
) => {
  const findings: Finding[] = [];
  const setAside: SetAsideLine[] = [];
  const asked: string[] = [];
  const done = await new ReconcileFile({
    gate: 'gate-a',
    format,
    file: piecesOf(file, pieceBytes),
    sizeBytes: file.length,
    settledBy: (AT + 60_000) as Instant,
    own: {
      inPeriod: () => pagesOf(orders),
      named: (names) => {
        asked.push(...names);
        return Promise.resolve(
          outside.filter(({ asked: [one] }) => names.includes(one?.original ?? '') || names.includes(one?.gateOrderId ?? '')),
        );
      },
    },
    onFinding: (finding) => void findings.push(finding),
    onSetAside: (one) => void setAside.push(one),
    ...settings,
  }).run();
  return { ...done, findings, asked, rows: setAside };
};
const kindsOf = (findings: readonly Finding[]) => findings.map(({ kind }) => kind).sort();

describe('reconciling a settlement file', () => {
  it('reports every kind of finding and counts it', async () => {
    const file = fileOf(row('a'), row('b', { minor: '1' }), row('c'), row('c'), row('d', { status: 'declined' }));
    const { findings, counts, lines, digest, period } = await run(file, [orderOf('a'), orderOf('b'), orderOf('d'), orderOf('e')]);
    expect(kindsOf(findings)).toStrictEqual(['different', 'different', 'duplicate', 'matched', 'missing-here', 'missing-there']);
    expect(counts).toStrictEqual({ matched: 1, different: 2, 'missing-here': 1, 'missing-there': 1, duplicate: 1 });
    expect([lines, digest.length]).toStrictEqual([5, 64]);
    expect(period).toStrictEqual({ from: AT, before: AT + 1_000 });
  });

  it('returns the same findings in the same order for any chunk size', async () => {
    const file = fileOf(...Array.from({ length: 200 }, (_, index) => row(`k${index}`, { minor: String(index) })));
    const orders = Array.from({ length: 150 }, (_, index) => orderOf(`k${index + 100}`));
    const [first, second] = [await run(file, orders), await run(file, orders, { pieceBytes: 7 })];
    expect(second).toStrictEqual(first);
  });

  it('searches orders outside the period by attempt key and by the gate’s order id', async () => {
    const file = fileOf(row('old'), row('lost', { order: 'G-7' }), row('never'));
    const outside = [orderOf('old'), orderOf('renamed', { gateOrderId: 'G-7' })];
    const { findings, asked } = await run(file, [], { outside });
    expect(kindsOf(findings)).toStrictEqual(['matched', 'matched', 'missing-here']);
    expect(asked.sort()).toStrictEqual(['G-7', 'lost', 'never', 'old']);
  });

  it('compares only transactions of the same gate', async () => {
    const other = orderOf('a', { gate: 'gate-b' });
    expect(kindsOf((await run(fileOf(row('a')), [other], { outside: [other] })).findings)).toStrictEqual(['missing-here']);
  });

  it('uses the latest state of an order that changed during gathering', async () => {
    const inPeriod = async function* () {
      yield await Promise.resolve([orderOf('a', { status: 'declined' }), orderOf('b')]);
      yield await Promise.resolve([orderOf('a'), orderOf('b')]);
    };
    const { findings } = await run(fileOf(row('a'), row('b')), [], { own: { inPeriod, named: () => Promise.resolve([]) } });
    expect(kindsOf(findings)).toStrictEqual(['matched', 'matched']);
  });

  it('uses a given period, and has none if the file is empty', async () => {
    const period = { from: (AT - 10) as Instant, before: (AT + 10) as Instant };
    expect((await run(fileOf(), [orderOf('a')], { period })).counts).toMatchObject({ 'missing-there': 1 });
    expect(await run(fileOf(), [orderOf('a')])).toMatchObject({ period: undefined, counts: { 'missing-there': 0 } });
  });

  it('reports its progress by stage', async () => {
    const stages = new Set<string>();
    await run(fileOf(row('a')), [orderOf('a')], { onProgress: ({ stage }) => void stages.add(stage) });
    expect([...stages]).toStrictEqual(['reading', 'gathering', 'comparing']);
  });

  const ends = Buffer.from('\r\n');
  it.each<[string, Buffer, string]>([
    ['no header', Buffer.from(''), 'line 1: the header must be original,reference,status,minor,order,operation'],
    ['another header', Buffer.from('a,b\r\n'), 'line 1: the header must be'],
    ['a line that is too short', Buffer.concat([fileOf(row('a')), Buffer.from('x'), ends]), 'line 3: must have 6 fields, not 1'],
    ['a card number', fileOf(row('a'), row('4111-1111-1111-1111')), 'line 3: a field holds what looks like a card number'],
    ['a card number among text', fileOf(row('pay 4111111111111111 now')), 'line 2: a field holds'],
    ['a card number whose groups dots part', fileOf(row('a', { order: '4111.1111.1111.1111' })), 'line 2: a field holds'],
    ['a card number of another script', fileOf(row('４１１１１１１１１１１１１１１１')), 'line 2: a field holds'],
    ['a card number of twelve digits', fileOf(row('a', { order: '5018 0000 0009' })), 'line 2: a field holds'],
    ['card digits in a column without references', fileOf(row('a', { status: '4111111111111111' })), 'line 2: a field holds'],
    ['a NUL', fileOf(row('a\u0000')), 'line 2, column original: must have no control character'],
    ['invalid UTF-8', Buffer.concat([fileOf(row('a')), Buffer.from([0xff, 0x0a])]), 'this or a following line is not UTF-8'],
    [
      'text that ends in the middle of a character',
      Buffer.concat([fileOf(row('a')), Buffer.from([0xc3])]),
      'line 3: this or a following line is not UTF-8',
    ],
    ['a quoted field without an end', Buffer.concat([fileOf(), Buffer.from('"a')]), 'line 2: a quoted field must end'],
    ['a line of 10 MiB', Buffer.concat([fileOf(), Buffer.alloc(10_485_760, 'x')]), 'line 2: must have at most 16384 characters'],
    [
      'more lines of one attempt than an order can have',
      fileOf(...Array.from('bcdefghijklmn', (key) => row(key)), ...Array.from({ length: LINES_OF_ATTEMPT_MAX + 1 }, () => row('a'))),
      `more than ${LINES_OF_ATTEMPT_MAX} lines are of one attempt`,
    ],
  ])('rejects a file with %s and reports no findings', async (_, file, message) => {
    const findings: Finding[] = [];
    const refused = run(file, [orderOf('a')], { pieceBytes: 65_536, onFinding: (finding) => void findings.push(finding) });
    await expect(refused).rejects.toThrow(message);
    expect(findings).toStrictEqual([]);
  });

  describe('with an invalid row', () => {
    const aside = [{ line: 2, column: 'minor', must: 'must be digits', original: 'a' }];

    it('compares the other rows and sets this one aside with its line and reason', async () => {
      const { findings, counts, lines, setAside, rows } = await run(fileOf(row('a', { minor: '-5' }), row('b')), [orderOf('b')]);
      expect(rows).toStrictEqual(aside);
      expect([findings.length, counts.matched, lines, setAside]).toStrictEqual([1, 1, 2, 1]);
    });

    it('does not report the attempt of the row as missing, but reports others', async () => {
      const { findings } = await run(fileOf(row('a', { minor: '' }), row('b')), [orderOf('a'), orderOf('b'), orderOf('c')]);
      expect(findings.filter(({ kind }) => kind !== 'matched')).toMatchObject([{ kind: 'missing-there', order: { orderId: 'c' } }]);
    });

    it('reports no missing transactions and marks their search as omitted if the row names no attempt', async () => {
      const { findings, isMissingThereSought } = await run(fileOf(row(''), row('b')), [orderOf('a'), orderOf('b')]);
      expect([kindsOf(findings), isMissingThereSought]).toStrictEqual([['matched'], false]);
    });

    it('sets aside a difference of the same attempt that the row might explain', async () => {
      const returned = (followUp: number, amountMinor: string, processedAt: number) =>
        own({ key: `r${followUp}`, original: 'a', followUp, operation: 'return', amountMinor, processedAt: processedAt as Instant });
      const order = { order: ORDER, asked: [...orderOf('a').asked, returned(1, '500', AT - 5_000), returned(2, '500', AT)] };
      const returns = [row('a', { operation: 'return', minor: '-500' }), row('a', { operation: 'return', minor: '500', reference: '2' })];
      const { findings, rows } = await run(fileOf(...returns, row('a')), [order]);
      expect(kindsOf(findings)).toStrictEqual(['matched']);
      expect(rows.map(({ line }) => line)).toStrictEqual([2, 3]);
    });

    it.each([
      ['of the same attempt', 'a', '-500'],
      ['that names no attempt', '', '500'],
    ])('reports a difference that an invalid row %s cannot explain', async (_, original, minor) => {
      const lines = [row('a', { minor: '1043' }), row('a', { operation: 'return', minor: '700' })];
      const file = fileOf(row(original, { operation: 'return', minor, reference: '2' }), ...lines);
      const { findings, rows } = await run(file, [orderOf('a')]);
      expect(kindsOf(findings)).toStrictEqual(['different', 'missing-here']);
      expect(rows.map(({ line }) => line)).toStrictEqual([2]);
    });

    it('reports an attempt as missing if its only row is a later event', async () => {
      const { findings, rows } = await run(fileOf(row('a', { operation: 'chargeback' }), row('b')), [orderOf('a'), orderOf('b')]);
      expect(kindsOf(findings)).toStrictEqual(['matched', 'missing-there']);
      expect(rows).toMatchObject([{ line: 2, must: 'is later' }]);
    });

    it('ignores empty rows', async () => {
      const file = Buffer.concat([fileOf(row('a')), Buffer.from('\r\n,,,,,\r\n\r\n')]);
      expect(await run(file, [orderOf('a')])).toMatchObject({ lines: 1, setAside: 0, counts: { matched: 1 } });
    });
  });

  describe('with an earlier file', () => {
    const earlier = (...rows: readonly (readonly string[])[]) => [{ name: 'monday, late.csv', file: piecesOf(fileOf(...rows), 16) }];

    it('reports a repeated line as a duplicate with the name of the earlier file', async () => {
      const { findings, lines } = await run(fileOf(row('a'), row('b')), [orderOf('a'), orderOf('b')], {
        earlier: earlier(row('x'), row('a')),
      });
      expect(kindsOf(findings)).toStrictEqual(['duplicate', 'matched']);
      expect(findings.find(({ kind }) => kind === 'duplicate')).toMatchObject({
        line: { line: 2 },
        first: 3,
        earlierFile: 'monday, late.csv',
      });
      expect(lines).toBe(2);
    });

    it('does not report transactions of the earlier file as missing, and no findings about that file', async () => {
      const day = earlier(row('a', { minor: '7' }), row('s'), row('c', { minor: '' }));
      const { findings, rows } = await run(fileOf(row('b')), [orderOf('a'), orderOf('b'), orderOf('c')], { earlier: day });
      expect([kindsOf(findings), rows]).toStrictEqual([['matched'], []]);
    });

    it('does not report a new status of the same transaction as a duplicate', async () => {
      const { findings } = await run(fileOf(row('a')), [orderOf('a')], { earlier: earlier(row('a', { status: 'open' })) });
      expect(kindsOf(findings)).toStrictEqual(['matched']);
    });

    it('reports a repeated unknown line as a duplicate', async () => {
      const { findings } = await run(fileOf(row('s'), row('t')), [], { earlier: earlier(row('s')) });
      expect(kindsOf(findings)).toStrictEqual(['duplicate', 'missing-here']);
    });

    it('rejects an invalid earlier file by its name', async () => {
      const broken = [{ name: 'monday.csv', file: piecesOf(Buffer.from('a,b\n'), 16) }];
      await expect(run(fileOf(row('a')), [], { earlier: broken })).rejects.toMatchObject({ name: 'CsvFault', earlierFile: 'monday.csv' });
    });
  });

  it('accepts references without separators that pass the Luhn check', async () => {
    const file = fileOf(
      row('4111111111111111', { order: '5555555555554444' }).with(1, '4444333322221111'),
      row('a', { order: 'PSP-378282246310005' }),
    );
    const orders = [orderOf('4111111111111111', { gateOrderId: '5555555555554444' }), orderOf('a')];
    expect(kindsOf((await run(file, orders)).findings)).toStrictEqual(['matched', 'matched']);
  });

  it('accepts an attempt key that looks like a card number, and leaves no temporary file', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('orch-reconcile-'));
    await run(fileOf(row('41111111-1111-4111-8111-111111111111')), []);
    await expect(run(Buffer.concat([fileOf(row('a')), Buffer.from('x')]), [])).rejects.toThrow('must have 6 fields');
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('orch-reconcile-') && !before.includes(name))).toStrictEqual([]);
  });
});
