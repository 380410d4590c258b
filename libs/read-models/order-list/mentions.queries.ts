import type { Deadline } from '@app/kernel';
import { canBeIndexed, entriesOf } from '../engine/entry-table';
import type { Reader } from '../engine/reader';
import { askedAbout } from './mentions.fold';
import { mentionAt, MENTIONS, mentionsTable, type Mention } from './mentions.table';

/** Finds the events that speak of something: for operators alone. An entry has no checksum: whoever uses one reads the event that it names. */
export class MentionQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** What happened to it, and what sealed of it was shown: in the order of streams and events, at most `limit`. */
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

  /** Questions about it that showed nothing sealed: in the order of streams and events, at most `limit`. */
  questionsAbout(name: string, limit: number, deadline?: Deadline): Promise<readonly Mention[]> {
    return this.of(askedAbout(name), limit, deadline);
  }
}
