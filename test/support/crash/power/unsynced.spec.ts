import { seededRandom } from '@app/testing';
import { afterPowerLoss, readRecord } from './unsynced';

const PATH = '/data/log';

interface Kept {
  readonly kind: 'w' | 't' | 's';
  readonly number: number;
  readonly upTo?: number;
  readonly offset?: number;
  readonly oldSize?: number;
  readonly old?: string;
  readonly fresh?: string;
}

const record = (...kept: readonly Kept[]): Buffer =>
  Buffer.concat(
    kept.map(({ kind, number, upTo = 0, offset = 0, oldSize = 0, old = '', fresh = '' }) => {
      const head = Buffer.alloc(45);
      head.write(kind);
      for (const [at, value] of [[1, number], [9, upTo], [17, offset], [25, oldSize]] as const) head.writeBigUInt64LE(BigInt(value), at); // prettier-ignore
      for (const [at, value] of [[33, PATH.length], [37, old.length], [41, fresh.length]] as const) head.writeUInt32LE(value, at); // prettier-ignore
      return Buffer.concat([head, Buffer.from(PATH + old + fresh)]);
    }),
  );

const fileOf = (bytes: Buffer) => {
  const file = readRecord(bytes).get(PATH);
  if (file === undefined) throw new Error('no record');
  return file;
};

const APPENDED = { kind: 'w', number: 1, offset: 3, oldSize: 3, fresh: 'def' } as const;
const OVERWRITTEN = { kind: 'w', number: 2, offset: 1, oldSize: 6, old: 'bc', fresh: 'XY' } as const;
const CUT = { kind: 't', number: 3, offset: 2, oldSize: 6, old: 'Ydef' } as const;
const random = seededRandom(1);
const lost = (content: string, bytes: Buffer): string => afterPowerLoss(Buffer.from(content), fileOf(bytes), 'none', random).toString();

describe('simulated power loss of a file', () => {
  it('removes everything written, overwritten or truncated since the last sync', () => {
    expect(lost('aX', record(APPENDED, OVERWRITTEN, CUT))).toBe('abc');
  });

  it('keeps everything written before a sync began', () => {
    expect(lost('aX', record(APPENDED, OVERWRITTEN, CUT, { kind: 's', number: 4, upTo: 3 }))).toBe('aX');
    expect(lost('aX', record(APPENDED, OVERWRITTEN, CUT, { kind: 's', number: 4, upTo: 1 }))).toBe('abcdef');
  });

  it('keeps a part of the unsynced writes if some had reached the disk', () => {
    const contents = new Set<string>();
    for (let times = 0; times < 50; times++)
      contents.add(afterPowerLoss(Buffer.from('aXYdef'), fileOf(record(APPENDED, OVERWRITTEN)), 'first', random).toString());
    expect(contents).toStrictEqual(new Set(['abc', 'abcdef', 'aXYdef']));
    for (let times = 0; times < 50; times++)
      contents.add(afterPowerLoss(Buffer.from('aXYdef'), fileOf(record(APPENDED, OVERWRITTEN)), 'any', random).toString());
    expect(contents).toContain('aXY');
  });

  it('works with a record whose last entry is incomplete', () => {
    const whole = record(APPENDED, OVERWRITTEN);
    expect(lost('abcdef', whole.subarray(0, whole.length - 1))).toBe('abc');
  });
});
