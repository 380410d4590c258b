import type { Deadline } from '@app/kernel';
import { canBeIndexed, entriesOf } from '../engine/entry-table';
import type { Reader } from '../engine/reader';
import { askedAbout } from './mentions.fold';
import { mentionAt, MENTIONS, mentionsTable, type Mention } from './mentions.table';

/** Only for operators. An entry has no checksum, so read the event that it names. */
export class MentionQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Events that changed the subject or revealed sealed data, sorted by stream and revision, at most `limit`. */
  of(name: string, limit: number, deadline?: Deadline): Promise<readonly Mention[]> {
    if (!canBeIndexed(name)) return Promise.resolve([]);
    const { from, to, streamOf } = entriesOf(name);
    return this.#reader.read<readonly Mention[]>(
      MENTIONS,
      [],
      async (db, generation) => {
        const rows = await db
          .selectFrom(mentionsTable(generation))
          .select('key')
          .where('key', '>=', from)
          .where('key', '<', to)
          .orderBy('key')
          .limit(limit)
          .execute();
        return rows.flatMap(({ key }) => mentionAt(streamOf(key) ?? '') ?? []);
      },
      deadline,
    );
  }

  /** Queries that revealed nothing sealed, sorted by stream and revision, at most `limit`. */
  questionsAbout(name: string, limit: number, deadline?: Deadline): Promise<readonly Mention[]> {
    return this.of(askedAbout(name), limit, deadline);
  }
}
