import type { Deadline } from '@app/kernel';
import {
  CompiledQuery,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { claimInSqlite } from './shared-claim';
import type { Interrupt, SharedConnection, StatementKind, UserLife } from './shared-connection';

export type RowsHeard = (parameters: readonly unknown[], rows: readonly unknown[]) => void;

export interface SharedDialectSettings {
  readonly shared: SharedConnection;
  readonly connection: DatabaseConnection;
  readonly rollback: () => void;
  readonly life: UserLife;
  readonly interrupt?: Interrupt | undefined;
  readonly onRows?: RowsHeard | undefined;
  readonly deadline?: Deadline | undefined;
}

const RAW_READ = /^\s*(select|explain)\b/i;
const OF_SCHEMA = /^\s*(create|drop|alter)\b/i;
const kindOf = ({ query, sql }: CompiledQuery): StatementKind => {
  if (SelectQueryNode.is(query) || RAW_READ.test(sql)) return 'read';
  return OF_SCHEMA.test(sql) ? 'schema' : 'write';
};
const BEGIN = CompiledQuery.raw('begin immediate');
const COMMIT = CompiledQuery.raw('commit');

class Turn implements DatabaseConnection {
  readonly #settings: SharedDialectSettings;
  readonly end: () => void;

  constructor(settings: SharedDialectSettings, end: () => void) {
    this.#settings = settings;
    this.end = end;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.run(kindOf(query), query);
  }

  async run<Row>(kind: StatementKind, query: CompiledQuery): Promise<QueryResult<Row>> {
    const { life, interrupt, onRows, connection } = this.#settings;
    life.assertAlive();
    await interrupt?.(kind, 'before');
    life.assertAlive(); // it may have ended while the hook waited
    const result = await connection.executeQuery<Row>(claimInSqlite(query));
    onRows?.(query.parameters, result.rows);
    await interrupt?.(kind, 'after');
    life.assertAlive();
    return result;
  }

  /** An ended user's transaction is already undone, and another user may hold the connection. */
  rollback(): void {
    if (!this.#settings.life.isOver) this.#settings.rollback();
  }

  streamQuery(): never {
    throw new Error('the read models do not stream');
  }
}

class SharedDriver implements Driver {
  readonly #settings: SharedDialectSettings;

  constructor(settings: SharedDialectSettings) {
    this.#settings = settings;
  }

  init(): Promise<void> {
    return Promise.resolve();
  }

  async acquireConnection(): Promise<Turn> {
    const { shared, life, deadline, rollback } = this.#settings;
    life.assertAlive();
    return new Turn(this.#settings, await shared.take(life, deadline, rollback));
  }

  async beginTransaction(turn: Turn): Promise<void> {
    await turn.run('begin', BEGIN);
  }

  async commitTransaction(turn: Turn): Promise<void> {
    await turn.run('commit', COMMIT);
  }

  rollbackTransaction(turn: Turn): Promise<void> {
    return Promise.resolve(turn.rollback());
  }

  releaseConnection(turn: Turn): Promise<void> {
    return Promise.resolve(turn.end());
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}

export const sharedDialect = (settings: SharedDialectSettings): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new SharedDriver(settings),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});
