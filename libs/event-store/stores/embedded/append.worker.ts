import { migrate, serveGroupedWrites } from '@app/databases/sqlite';
import { FIELDS_PER_EVENT, type AppendJob, type AppendResult, EVENT_LOG_MIGRATIONS, checksumOf } from './event-row';
import { checkLog } from './check-log';

serveGroupedWrites<AppendJob, AppendResult>((db, path) => {
  migrate(db, path, EVENT_LOG_MIGRATIONS);
  checkLog(db);
  const headOf = db.prepare('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1');
  const idAt = db.prepare('SELECT id FROM events WHERE stream = ? AND revision = ?');
  const insert = db.prepare(
    'INSERT INTO events (category, stream, revision, id, type, created_ms, checksum, metadata, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );

  const isStored = ({ stream, next, fields }: AppendJob): boolean => {
    for (let index = 0; index < fields.length; index += FIELDS_PER_EVENT) {
      const row = idAt.get(stream, next + index / FIELDS_PER_EVENT) as { id: string } | undefined;
      if (row?.id !== fields[index]) return false;
    }
    return true;
  };

  return (job) => {
    const { stream, category, next, createdMs, fields } = job;
    const actual = (headOf.get(stream) as { revision: number } | undefined)?.revision ?? -1;
    const count = fields.length / FIELDS_PER_EVENT;
    if (actual !== next - 1) {
      return actual >= next && isStored(job) ? { kind: 'appended', revision: next + count - 1 } : { kind: 'conflict', actual };
    }
    let position = 0;
    for (let index = 0; index < count; index++) {
      const [id = '', type = '', metadata = '', data = ''] = fields.slice(index * FIELDS_PER_EVENT, (index + 1) * FIELDS_PER_EVENT);
      const revision = next + index;
      const checksum = checksumOf(stream, revision, id, type, metadata, data);
      const inserted = insert.run(category, stream, revision, id, type, createdMs, checksum, metadata, data);
      if (index === 0) position = Number(inserted.lastInsertRowid);
    }
    return { kind: 'appended', revision: next + count - 1, position };
  };
});
