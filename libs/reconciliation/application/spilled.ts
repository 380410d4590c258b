import { isAscii } from 'node:buffer';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SettledOperation, SettlementDraft } from '@app/gateway-adapters/contract';
import type { Currency, Instant } from '@app/kernel';
import type { NumberedLine, OwnGroup, OwnTransaction } from '../domain/compare';
import type { SetAsideLine } from './settlement-lines';

/** Bytes buffered per partition before a write; a longer line is written directly. */
const GATHERED_BYTES = 32_768;
const READ_BYTES = 65_536;
const ASCII_MAX = 0x7f;

/** FNV-1a with 32 bits: only spreads keys over the partitions. */
export const spread = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};

/** A nearly full disk may write only a part, and reports that only by the count. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written, bytes.length - written);
};

/** Lines of text in temporary files, partitioned by key, so that lines with equal keys are found together in bounded memory. */
export class Partitions {
  readonly #files: readonly number[];
  /** Buffers, not strings: millions of waiting strings would survive garbage collections. */
  readonly #gathered: readonly Buffer[];
  readonly #lengths: number[];

  constructor(readonly count: number) {
    // Accessible only to its owner, whatever the umask.
    const folder = mkdtempSync(join(tmpdir(), 'orch-reconcile-'));
    try {
      this.#files = Array.from({ length: count }, (_, index) => openSync(join(folder, String(index)), 'wx+', 0o600));
    } finally {
      // Unlinked while open, so that a killed process leaves nothing behind.
      rmSync(folder, { recursive: true, force: true });
    }
    this.#gathered = this.#files.map(() => Buffer.allocUnsafe(GATHERED_BYTES));
    this.#lengths = this.#files.map(() => 0);
  }

  /** @param text without a line break */
  add(key: string, text: string): void {
    const index = spread(key) % this.count;
    const line = `${text}\n`;
    // A character takes at most three bytes of UTF-8, a surrogate pair four.
    if ((this.#lengths[index] ?? 0) + line.length * 3 > GATHERED_BYTES) this.#write(index);
    const [buffer, file] = [this.#gathered[index], this.#files[index]];
    if (buffer === undefined || file === undefined) throw new RangeError(`there is no partition ${index}`);
    if (line.length * 3 > GATHERED_BYTES) writeAll(file, Buffer.from(line));
    else this.#lengths[index] = (this.#lengths[index] ?? 0) + buffer.write(line, this.#lengths[index] ?? 0);
  }

  *lines(index: number): Generator<string> {
    this.#write(index);
    const file = this.#files[index];
    if (file === undefined) throw new RangeError(`there is no partition ${index}`);
    const buffer = Buffer.alloc(READ_BYTES);
    const decoder = new TextDecoder();
    let rest = '';
    let isWaiting = false;
    for (let place = 0; ;) {
      const read = readSync(file, buffer, 0, READ_BYTES, place);
      if (read === 0) return;
      place += read;
      const bytes = buffer.subarray(0, read);
      const text = isAscii(bytes) && !isWaiting ? bytes.toString('latin1') : decoder.decode(bytes, { stream: true });
      // The decoder may hold the first bytes of a character.
      isWaiting = (bytes.at(-1) ?? 0) > ASCII_MAX;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  }

  close(): void {
    for (const file of this.#files) closeSync(file);
  }

  #write(index: number): void {
    const [buffer, file, length] = [this.#gathered[index], this.#files[index], this.#lengths[index]];
    if (buffer === undefined || file === undefined || length === undefined || length === 0) return;
    writeAll(file, buffer.subarray(0, length));
    this.#lengths[index] = 0;
  }
}

/** No field of a line has a control character. */
const SEPARATOR = '\t';

/** Serialises a line for a temporary file; an absent member is empty. */
export const lineText = (line: NumberedLine): string => {
  const { original, key = '', reference, operation, status, amount, commissionMinor, processedAt, gateOrderId = '', rrn = '' } = line;
  const commission = commissionMinor === undefined ? '' : commissionMinor.toString();
  const t = SEPARATOR;
  // Concatenated by hand: joining an array would cost as much as all other work on a line.
  const what = `${original}${t}${line.line}${t}${key}${t}${reference}${t}${operation}${t}${status}`;
  const earlier = line.earlierFile === undefined ? '' : `${t}${encodeURIComponent(line.earlierFile)}`;
  return `${what}${t}${amount.minor}${t}${amount.currency}${t}${commission}${t}${processedAt}${t}${gateOrderId}${t}${rrn}${earlier}`;
};

/** The attempt's key, by which a line is found. */
export const originalOfLineText = (text: string): string => text.slice(0, text.indexOf(SEPARATOR));

export const lineOfText = (text: string): NumberedLine => {
  const [original = '', line, key, reference = '', operation, status, minor = '0', currency, commission, ...rest] = text.split(SEPARATOR);
  const [processedAt, gateOrderId, rrn, earlierFile] = rest;
  const read: SettlementDraft & { line: number; earlierFile?: string } = {
    line: Number(line),
    original,
    reference,
    operation: operation as SettledOperation,
    status: status as NumberedLine['status'],
    amount: { minor: BigInt(minor), currency: currency as Currency },
    processedAt: Number(processedAt) as Instant,
  };
  if (key !== undefined && key !== '') read.key = key;
  if (commission !== undefined && commission !== '') read.commissionMinor = BigInt(commission);
  if (gateOrderId !== undefined && gateOrderId !== '') read.gateOrderId = gateOrderId;
  if (rrn !== undefined && rrn !== '') read.rrn = rrn;
  if (earlierFile !== undefined) read.earlierFile = decodeURIComponent(earlierFile);
  return read;
};

/** Never the first character of a line number. */
const SET_ASIDE = '!';

/** Serialises a set-aside row; `original` is empty if the row names no attempt. */
export const setAsideText = ({ original = '', line, column, must, isLaterEvent, earlierFile = '' }: SetAsideLine): string =>
  [original, `${SET_ASIDE}${line}`, column, must, isLaterEvent === true ? '1' : '', encodeURIComponent(earlierFile)].join(SEPARATOR);

/** Undefined for a line that is compared. */
export const setAsideOfText = (text: string): SetAsideLine | undefined => {
  if (!text.startsWith(SET_ASIDE, text.indexOf(SEPARATOR) + 1)) return undefined;
  const [original, line = '', column = '', must = '', isLaterEvent, earlierFile = ''] = text.split(SEPARATOR);
  return {
    line: Number(line.slice(SET_ASIDE.length)),
    column,
    must,
    ...(original !== '' && { original }),
    ...(isLaterEvent === '1' && { isLaterEvent: true }),
    ...(earlierFile !== '' && { earlierFile: decodeURIComponent(earlierFile) }),
  };
};

/** None of our names contains a control character. */
const MEMBERS = 14;
const ORDER_MEMBERS = 4;

const told = (value: string | undefined): string | null => (value === undefined || value === '' ? null : value);
const count = (value: string | undefined): number | null => (value === undefined || value === '' ? null : Number(value));
/** A gate's reference may contain any character, also the separator. */
const reference = (value: string | null): string => (value === null ? '' : encodeURIComponent(value));
const referenceOf = (value: string | undefined): string | null =>
  value === undefined || value === '' ? null : value.includes('%') ? decodeURIComponent(value) : value;

/** Serialises a group; the attempt's key comes first, by which it is found. */
export const groupText = ({ order, transactions }: OwnGroup): string => {
  const t = SEPARATOR;
  let line = `${transactions[0]?.original ?? ''}${t}${order.stream}${t}${order.orderId}${t}${order.merchant}`;
  // Concatenated by hand: joining an array would cost as much as all other work on a group.
  for (const one of transactions) {
    const asked = `${one.key ?? ''}${t}${one.original}${t}${one.followUp ?? ''}${t}${one.operation}${t}${one.gate}${t}${one.amountMinor}`;
    const heard = `${one.currency}${t}${one.status}${t}${one.askedAt}${t}${one.answeredAt ?? ''}${t}${one.processedAt ?? ''}`;
    line += `${t}${asked}${t}${heard}${t}${one.commissionMinor ?? ''}${t}${reference(one.gateOrderId)}${t}${reference(one.rrn)}`;
  }
  return line;
};

export const keyOfGroupText = (line: string): string => line.slice(0, line.indexOf(SEPARATOR));

export const groupOfText = (line: string): OwnGroup => {
  const members = line.split(SEPARATOR);
  const transactions: OwnTransaction[] = [];
  for (let at = ORDER_MEMBERS; at + MEMBERS <= members.length; at += MEMBERS) {
    transactions.push({
      key: told(members[at]),
      original: members[at + 1] ?? '',
      followUp: count(members[at + 2]),
      operation: members[at + 3] as SettledOperation,
      gate: members[at + 4] ?? '',
      amountMinor: members[at + 5] ?? '',
      currency: members[at + 6] ?? '',
      status: members[at + 7] as OwnTransaction['status'],
      askedAt: Number(members[at + 8]) as Instant,
      answeredAt: count(members[at + 9]) as Instant | null,
      processedAt: count(members[at + 10]) as Instant | null,
      commissionMinor: told(members[at + 11]),
      gateOrderId: referenceOf(members[at + 12]),
      rrn: referenceOf(members[at + 13]),
    });
  }
  const [, stream = '', orderId = '', merchant = ''] = members;
  return { order: { stream, orderId, merchant }, transactions };
};
