import { migrate, serveGroupedWrites } from '@app/databases/sqlite';
import { ledgerJobs, type LedgerJob, type LedgerResult } from './ledger.jobs';
import { LEDGER_MIGRATIONS } from './ledger.schema';

serveGroupedWrites<LedgerJob, LedgerResult>((db, path) => {
  migrate(db, path, LEDGER_MIGRATIONS);
  return ledgerJobs(db);
});
