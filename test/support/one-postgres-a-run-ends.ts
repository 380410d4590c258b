import { stopPostgresOfRun } from './one-postgres-a-run';

/** With the test run. */
export default (): Promise<void> => stopPostgresOfRun.current();
