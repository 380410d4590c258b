import type { StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
import { gateAttempts } from './gate-attempts.table';
import type { GateAttemptsView } from './gate-attempts.view';

export type GateAttemptsRecord = FoldedRecord<GateAttemptsView>;

export interface GateAttemptsCursor {
  readonly touchedAt: Instant;
  readonly stream: StreamName;
}

export interface GateAttemptsPage {
  readonly records: readonly GateAttemptsRecord[];
  readonly next: GateAttemptsCursor | undefined;
}

/** Well below SQLite's limit of 32,766 parameters. */
const STREAMS_MAX = 1_000;
const EMPTY: GateAttemptsPage = { records: [], next: undefined };

/** Over all merchants, so only for operators, as `OperatorOrderQueries` (safety, T11 and T43). */
export class GateAttemptsQueries {
  readonly #rows: VerifiedRows<GateAttemptsView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#rows = new VerifiedRows(gateAttempts, reader, projectFromLog);
  }

  /**
   * Orders accepted before `before` with an event at `from` or later, sorted by latest event.
   * @param after the end of the previous page
   */
  async touchedIn(from: Instant, before: Instant, limit: number, after?: GateAttemptsCursor): Promise<GateAttemptsPage> {
    const rows = await this.#rows.read((db, generation) => {
      const accepted = gateAttempts.rows(db, generation).where('accepted_at', '<', before);
      const following =
        after === undefined
          ? accepted.where('touched_at', '>=', from)
          : accepted.where((where) =>
              where(where.refTuple('touched_at', 'stream'), '>', where.tuple(after.touchedAt as number, after.stream as string)),
            );
      return following.orderBy('touched_at').orderBy('stream').limit(limit).execute();
    });
    if (rows.length === 0) return EMPTY;
    const last = rows.at(-1);
    const isLast = rows.length < limit || last === undefined;
    return {
      records: await this.#rows.records(rows, () => true),
      next: isLast ? undefined : { touchedAt: Number(last.touched_at) as Instant, stream: last.stream as StreamName },
    };
  }

  async ofStreams(streams: readonly StreamName[]): Promise<readonly GateAttemptsRecord[]> {
    const records: GateAttemptsRecord[] = [];
    for (let from = 0; from < streams.length; from += STREAMS_MAX) {
      const part = streams.slice(from, from + STREAMS_MAX);
      const rows = await this.#rows.read((db, generation) =>
        gateAttempts.rows(db, generation).where('stream', 'in', part).orderBy('stream').execute(),
      );
      records.push(...(await this.#rows.records(rows, () => true)));
    }
    return records;
  }
}
