import { JSON_CONTENT, type LogRecord } from './log-record';

const METASTREAM = '$$';
export const metastreamOf = (stream: string): string => METASTREAM + stream;
export const isMetastream = (stream: string): boolean => stream.startsWith(METASTREAM);
export const originalOf = (metastream: string): string => metastream.slice(METASTREAM.length);

/** Value of `$tb` in a soft-deleted stream, which hides all earlier events. */
const DELETED_BEFORE = 2 ** 63;
export const SOFT_DELETED_TEXT = '{"$tb":9223372036854775807}';

export interface StreamMetadata {
  readonly countMax?: number;
  readonly ageMaxMs?: number;
  readonly truncateBefore?: bigint;
  readonly isSoftDeleted: boolean;
}

const MS_PER_SECOND = 1000;
const NOTHING_SET: StreamMetadata = { isSoftDeleted: false };
const ONLY_THE_LAST: StreamMetadata = { isSoftDeleted: false, countMax: 1 };

const parsed = (record: LogRecord | undefined): Readonly<Record<string, unknown>> => {
  if (record?.contentType !== JSON_CONTENT) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(record.data).toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};

export const metadataOf = (stream: string, last: LogRecord | undefined): StreamMetadata => {
  if (isMetastream(stream)) return ONLY_THE_LAST;
  if (last === undefined) return NOTHING_SET;
  const { $maxCount: count, $maxAge: ageSeconds, $tb: before } = parsed(last);
  return {
    isSoftDeleted: typeof before === 'number' && before >= DELETED_BEFORE,
    ...(typeof count === 'number' ? { countMax: count } : {}),
    ...(typeof ageSeconds === 'number' ? { ageMaxMs: ageSeconds * MS_PER_SECOND } : {}),
    ...(typeof before === 'number' ? { truncateBefore: BigInt(before) } : {}),
  };
};

/** A soft-deleted stream that is written again begins at its former end. */
export const undeletedText = (last: LogRecord | undefined, firstRevision: bigint): string =>
  JSON.stringify({ ...parsed(last), $tb: Number(firstRevision) });
