import { serveGroupedWrites } from '../sqlite/serve-grouped-writes';

/** For tests: increments a counter. The name `poison` throws after its write. */
serveGroupedWrites<{ name: string }, number>((db) => {
  db.exec('CREATE TABLE IF NOT EXISTS tally (name TEXT PRIMARY KEY, count INTEGER NOT NULL)');
  const count = db.prepare('INSERT INTO tally VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET count = count + 1 RETURNING count');
  return ({ name }) => {
    const row = count.get(name) as { count: number };
    if (name === 'poison') throw new Error('poisoned');
    return row.count;
  };
});
