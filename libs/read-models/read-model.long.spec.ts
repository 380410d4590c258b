import { memoryFixture } from './testing/memory-fixture';
import { readModelContract, REBUILDING } from './testing/read-model.contract';
import { sqliteFixture } from './testing/sqlite-fixture';

// `npm test` runs fewer cases with a real thread: `thread/projecting-thread.spec.ts`.
readModelContract('SQLite, written at the other end of a port', sqliteFixture, { written: 'by-messages' });

// `npm test` runs the same cases on SQLite, and the others on memory too.
readModelContract('memory', memoryFixture, { cases: REBUILDING });
