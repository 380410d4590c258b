import type { Deadline } from '@app/kernel';
import type { Reader } from '../engine/reader';
import { askedAbout } from './mentions.fold';
import { mentionAt, mentions, type Mention } from './mentions.table';

/** Only for operators. An entry has no checksum, so read the event that it names. */
export class MentionQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Events that changed the subject or revealed sealed data, sorted by stream and revision, at most `limit`. */
  async of(name: string, limit: number, deadline?: Deadline): Promise<readonly Mention[]> {
    const places = await mentions.streams(this.#reader, name, { limit, deadline });
    return places.flatMap((place) => mentionAt(place) ?? []);
  }

  /** Queries that revealed nothing sealed, sorted by stream and revision, at most `limit`. */
  questionsAbout(name: string, limit: number, deadline?: Deadline): Promise<readonly Mention[]> {
    return this.of(askedAbout(name), limit, deadline);
  }
}
