import { crc32 } from 'node:zlib';
import type { ColumnValue } from './rebuild/bulk-statements';

/** Stands in no text of a row: PostgreSQL takes none that holds it. */
const BETWEEN = '\u0000';

export const CHECKSUM = 'checksum';

/** CRC-32 over all that a row holds, in the order of its columns: what rots on a disk is noticed, and is no forgery that somebody wrote. */
export const rowChecksum = (values: readonly ColumnValue[]): number => crc32(values.join(BETWEEN));

/** @param columns in the order in which they were written, without the checksum. A database may hand numbers out as text: they have one form. */
export const isSound = (row: object, columns: readonly string[]): boolean => {
  const held = row as Readonly<Record<string, ColumnValue>>;
  return Number(held[CHECKSUM]) === rowChecksum(columns.map((column) => held[column] ?? null));
};
