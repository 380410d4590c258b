export { createTestDatabase, runOnce, type TestDatabase } from './databases';
export { type Postgres, postgresServer, RUN_POSTGRES, startOwnPostgres, startPostgres, startPostgresAlone } from './postgres';
export { openRelay, type Relay } from './relay';
