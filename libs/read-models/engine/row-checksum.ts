import { crc32 } from 'node:zlib';
import type { ColumnValue } from './rebuild/bulk-statements';

const BETWEEN = '\u0000';

export const CHECKSUM = 'checksum';

/** CRC-32 over a row's values in column order. It detects corruption by the disk, not forgery. */
export const rowChecksum = (values: readonly ColumnValue[]): number => crc32(values.join(BETWEEN));

/** @param columns in checksum order, without the checksum. A database may return numbers as text, which gives the same checksum. */
export const isIntact = (row: object, columns: readonly string[]): boolean => {
  const held = row as Readonly<Record<string, ColumnValue>>;
  return Number(held[CHECKSUM]) === rowChecksum(columns.map((column) => held[column] ?? null));
};
