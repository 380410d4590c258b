import { crc32 } from 'node:zlib';
import { openDatabase, type Database } from '@app/databases/sqlite';

export interface LogRow {
  readonly position: number;
  readonly category: string;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly metadata: string;
  readonly data: string;
}

/** An attacker knows the format too, so the checksum is recomputed. */
const refitted = ({ stream, revision, id, type, metadata, data }: LogRow): number =>
  crc32(data, crc32(metadata, crc32(`${stream} ${revision} ${id} ${type}`)));

export const forgeLog = (path: string, forge: (log: ForgedLog) => void): void => {
  const db = openDatabase(path, {});
  try {
    forge(new ForgedLog(db));
  } finally {
    db.close();
  }
};

export class ForgedLog {
  constructor(private readonly db: Database) {}

  rows(): readonly LogRow[] {
    const rows: unknown = this.db.prepare('SELECT * FROM events ORDER BY position').all();
    return rows as readonly LogRow[];
  }

  /** No later event contains its hash. */
  newestOf(stream: string): LogRow {
    const row = this.rows().findLast((one) => one.stream === stream);
    if (row === undefined) throw new Error(`${stream} has no events`);
    return row;
  }

  put(row: LogRow): void {
    this.db
      .prepare(
        'UPDATE events SET category = ?, stream = ?, revision = ?, id = ?, type = ?, metadata = ?, data = ?, checksum = ? WHERE position = ?',
      )
      .run(row.category, row.stream, row.revision, row.id, row.type, row.metadata, row.data, refitted(row), row.position);
  }

  remove(position: number): void {
    this.db.prepare('DELETE FROM events WHERE position = ?').run(position);
    this.db.prepare('UPDATE events SET position = -position WHERE position > ?').run(position);
    this.db.prepare('UPDATE events SET position = -position - 1 WHERE position < 0').run();
  }

  cutOff(position: number): void {
    this.db.prepare('DELETE FROM events WHERE position > ?').run(position);
  }

  swap(a: LogRow, b: LogRow): void {
    this.db.prepare('UPDATE events SET position = -1 WHERE position = ?').run(a.position);
    this.db.prepare('UPDATE events SET position = ? WHERE position = ?').run(a.position, b.position);
    this.db.prepare('UPDATE events SET position = ? WHERE position = -1').run(b.position);
  }
}
