import { readModelContract } from './testing/read-model.contract';
import { sqliteFixture } from './testing/sqlite-fixture';

// `npm test` runs fewer cases with a real thread: `thread/projecting-thread.spec.ts`.
readModelContract('SQLite, written at the other end of a port', sqliteFixture, { written: 'by-messages' });
