import { Client, Pool, types, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { byDeadline, type Deadline } from '@app/kernel';

/** A database cannot be used. The message gives its address and the reason in one line, without the password. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

const addressOf = (url: string): Address => {
  try {
    const { host, port, database, user } = new Client({ connectionString: url });
    return { host, port, database: database ?? '', user: user ?? '' };
  } catch {
    // The text may contain a password.
    throw new DatabaseUnusable('this is no address of a PostgreSQL database');
  }
};

const WRONG_PASSWORD = new Set(['28P01', '28000']);
const UNKNOWN_DATABASE = '3D000';
const NO_RIGHTS = '42501';
const NO_CONNECTION_LEFT = '53300';
const NOT_SERVING = new Set(['57P01', '57P02', '57P03']);
const UNTRUSTED = /CERT|SELF_SIGNED|VERIFY|ALTNAME/;
const NO_TLS = /does not support SSL|no encryption/;
const SILENT = /timeout/i;

const reasonOf = (error: unknown, { host, port, database, user }: Address): string => {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const known = typeof code === 'string' ? code : '';
  const text = typeof message === 'string' ? message : '';
  if (NO_TLS.test(text)) return 'server and address disagree on TLS (sslmode)';
  if (WRONG_PASSWORD.has(known)) return `user ${user} is refused: wrong password, or no right to connect`;
  if (known === UNKNOWN_DATABASE) return `there is no database ${database}`;
  if (known === NO_RIGHTS) return `user ${user} has not the rights that are needed: ${text}`;
  if (known === NO_CONNECTION_LEFT) return 'the server has no connection left';
  if (NOT_SERVING.has(known)) return 'the server is starting or stopping';
  if (UNTRUSTED.test(known)) return `its certificate is not trusted (${known})`;
  if (known === 'ENOTFOUND' || known === 'EAI_AGAIN') return `no address is known for ${host}`;
  if (known === 'ECONNREFUSED') return `nothing listens on port ${port}`;
  if (known === 'ETIMEDOUT' || SILENT.test(text)) return 'it does not answer in time';
  return known === '' ? text : `${text} (${known})`;
};

export const asUnusable = (error: unknown, address: Address): DatabaseUnusable => {
  if (error instanceof DatabaseUnusable) return error;
  const { host, port, database } = address;
  const [line = ''] = reasonOf(error, address).split('\n');
  return new DatabaseUnusable(`PostgreSQL at ${host}:${port}, database ${database}: ${line}`, { cause: error });
};

export interface PoolFigures {
  readonly name: string;
  readonly connections: number;
  readonly idle: number;
  readonly waiting: number;
  readonly connectionsMax: number;
}

const open = new Map<Pool, { readonly name: string; readonly connectionsMax: number }>();

const watchPool = (pool: Pool, name: string, connectionsMax: number): void => {
  open.set(pool, { name, connectionsMax });
};

export const openPools = (): readonly PoolFigures[] => {
  for (const pool of open.keys()) if (pool.ending || pool.ended) open.delete(pool);
  return [...open].map(([pool, { name, connectionsMax }]) => ({
    name,
    connections: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
    connectionsMax,
  }));
};

export interface Database {
  readonly pool: Pool;
  /** For messages, without the password. */
  readonly address: Address;
}

export interface OpenOptions {
  /** Shown by the server for each connection (`pg_stat_activity`). */
  readonly name: string;
  readonly connectionsMax?: number;
  /**
   * `every-commit` (the default): a commit survives a crash of the server. `rebuildable`: the newest commits may be lost; only for
   * projections that store their checkpoint in the same transaction.
   */
  readonly durability?: 'every-commit' | 'rebuildable';
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  /** Added to the statement's time limit. After both, the connection counts as broken. */
  readonly answerGraceMs?: number;
  readonly lockTimeoutMs?: number;
}

const CONNECTIONS_MAX = 8;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 30_000;
const ANSWER_GRACE_MS = 5_000;
const IDLE_CONNECTION_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;
/** Within this time the server ends the statement of an abandoned connection and frees its locks. */
const GIVEN_UP_NOTICED_MS = 500;
const INT8 = types.builtins.INT8;

type Answered = (error: Error | undefined, result?: QueryResult) => void;
type Asked = QueryConfig & { readonly query_timeout?: number };

/**
 * pg's promises and its `query_timeout` keep the rows of each answer until the next full garbage collection, which then stops a process that
 * reads much for 50 ms. Its callbacks do not.
 */
class PromptClient extends Client {
  readonly #timeoutMs: number;

  constructor({ query_timeout: timeoutMs = STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS, ...config }: PoolConfig = {}) {
    super(config);
    this.#timeoutMs = timeoutMs;
  }

  /** As in pg: the last argument may be a callback, instead of which a promise is returned. */
  override query(asked: unknown, second?: unknown, third?: unknown): never {
    const last = third ?? second;
    const values = typeof second === 'function' ? undefined : (second as unknown[] | undefined);
    const { query_timeout: timeoutMs = this.#timeoutMs, ...query } = (typeof asked === 'string' ? { text: asked } : asked) as Asked;
    const answers = (answered: Answered): void => {
      let isAnswered = false;
      const finish: Answered = (error, result) => {
        clearTimeout(timer);
        if (!isAnswered) answered(error, result);
        isAnswered = true;
      };
      const timer = setTimeout(() => finish(new Error('Query read timeout')), timeoutMs);
      super.query(values === undefined ? query : { ...query, values }, finish);
    };
    if (typeof last === 'function') return answers(last as Answered) as never;
    const answer = new Promise((resolve, reject) => answers((error, result) => (error ? reject(error) : resolve(result))));
    return answer as never;
  }
}

/** Returns integers as numbers, as SQLite does, and throws if a number cannot represent one. */
const wholeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a whole number beyond 2^53 was read');
  return value;
};

export const connectionSettings = (url: string, options: OpenOptions): PoolConfig => {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  return {
    connectionString: url,
    application_name: options.name,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + (options.answerGraceMs ?? ANSWER_GRACE_MS),
    lock_timeout: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: {
      getTypeParser: ((id: number, format?: 'text'): unknown =>
        id === (INT8 as number) ? wholeNumber : types.getTypeParser(id, format)) as typeof types.getTypeParser,
    },
  };
};

/**
 * Opens a pool and its first connection.
 * @throws DatabaseUnusable with a one-line reason: address, password, database, TLS
 */
export const openDatabase = async (url: string, options: OpenOptions): Promise<Database> => {
  const address = addressOf(url);
  const max = options.connectionsMax ?? CONNECTIONS_MAX;
  const pool = new Pool({
    ...connectionSettings(url, options),
    Client: PromptClient,
    max,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    // Not in the connection options, because the address may contain options too. The pool waits for this promise.
    onConnect: (client): unknown => client.query(`SET client_connection_check_interval = ${GIVEN_UP_NOTICED_MS}`),
    ...(options.durability === 'rebuildable' && { options: '-c synchronous_commit=off' }),
  });
  // A broken idle connection leaves the pool. Without a listener its error would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    const client = await pool.connect();
    client.release();
  } catch (error) {
    await pool.end();
    throw asUnusable(error, address);
  }
  watchPool(pool, options.name, max);
  return { pool, address };
};

const deadlinePassed = (): DatabaseUnusable => new DatabaseUnusable('the time of the request is over');

/**
 * Takes a connection of the pool. One that becomes free too late is returned unused.
 * @throws DatabaseUnusable once the deadline has passed
 */
export const connectBy = ({ pool }: Pick<Database, 'pool'>, deadline: Deadline | undefined): Promise<PoolClient> => {
  if (deadline === undefined) return pool.connect();
  if (deadline.isOver) return Promise.reject(deadlinePassed());
  let isLate = false;
  const connecting = pool.connect();
  connecting.then(
    (client) => isLate && client.release(),
    () => undefined,
  );
  return byDeadline(deadline, connecting, () => {
    isLate = true;
    return deadlinePassed();
  });
};

/**
 * Close the connection after a timeout, because it still waits for the statement's result.
 * @throws DatabaseUnusable once the deadline has passed
 */
export const queryBy = <Row extends QueryResultRow>(
  client: PoolClient,
  query: QueryConfig,
  deadline: Deadline | undefined,
): Promise<QueryResult<Row>> =>
  deadline?.isOver === true ? Promise.reject(deadlinePassed()) : byDeadline(deadline, client.query<Row>(query), deadlinePassed);

/**
 * Runs one statement on one connection.
 * @throws DatabaseUnusable once the deadline has passed; the connection is closed and the server ends the statement
 */
export const ask = async <Row extends QueryResultRow>(
  db: Pick<Database, 'pool'>,
  query: QueryConfig,
  deadline?: Deadline,
): Promise<QueryResult<Row>> => {
  if (deadline === undefined) return db.pool.query<Row>(query);
  const client = await connectBy(db, deadline);
  let failure: Error | undefined;
  try {
    return await queryBy<Row>(client, query, deadline);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
};

export const closeDatabase = async ({ pool }: Database): Promise<void> => {
  if (!pool.ended && !pool.ending) await pool.end();
};

export const inTransaction = async <Result>({ pool }: Database, work: (client: PoolClient) => Promise<Result>): Promise<Result> => {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(failure);
  }
};
