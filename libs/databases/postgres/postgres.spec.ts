import { Kysely, sql } from 'kysely';
import { connect, createServer, type Socket } from 'node:net';
import { eventually, VirtualClock } from '@app/testing';
import { systemScheduler } from '@app/kernel';
import { AdvisoryLock } from './advisory-lock';
import { closeDatabase, inTransaction, openDatabase, type Database, type OpenOptions, DatabaseUnusable } from './database';
import { kyselyDialect } from './kysely';
import { migrate, type Migration } from './migrate';
import { createTestDatabase, runOnce, startPostgres, type Postgres, type TestDatabase } from '../testing';

const NAME = 'postgres.spec';

let server: Postgres;
let place: TestDatabase;
const opened: Database[] = [];

const open = async (options: Partial<OpenOptions> = {}, url = place.url): Promise<Database> => {
  const db = await openDatabase(url, { name: NAME, ...options });
  opened.push(db);
  return db;
};
const changed = (change: (url: URL) => void): string => {
  const url = new URL(place.url);
  change(url);
  return url.href;
};
const endSessions = (name: string): Promise<readonly object[]> =>
  runOnce(
    place.url,
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
    [name],
  );

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  place = await createTestDatabase(server);
});
afterEach(async () => {
  for (const db of opened.splice(0)) await closeDatabase(db);
  await place.drop();
});

describe('opening a database fails with a one-line message', () => {
  const refusalOf = async (url: string): Promise<string> => {
    const error: unknown = await open({}, url).catch((refused: unknown) => refused);
    if (!(error instanceof DatabaseUnusable)) throw new Error(`opened, or failed otherwise: ${String(error)}`);
    expect(error.message).not.toContain('\n');
    expect(error.message).not.toContain('pa55word');
    return error.message;
  };

  it('for a wrong address', async () => {
    expect(await refusalOf(changed((url) => (url.port = '1')))).toMatch(
      /^PostgreSQL at [^ ]+:1, database test_\w+: nothing listens on port 1$/,
    );
    expect(await refusalOf('postgres://u:pa55word@no-such-host.invalid/orders')).toMatch(
      /^PostgreSQL at no-such-host.invalid:5432, database orders: no address is known for no-such-host.invalid$/,
    );
    expect(await refusalOf('postgres://u:pa55word@[::1/orders')).toBe('this is no address of a PostgreSQL database');
  });

  it('for a wrong password, database or TLS mode', async () => {
    await runOnce(server.url, "create role guest login password 'other'").catch(() => undefined);
    expect(
      await refusalOf(
        changed((url) => {
          url.username = 'guest';
          url.password = 'pa55word';
        }),
      ),
    ).toMatch(/: user guest is refused: wrong password, or no right to connect$/);
    expect(await refusalOf(changed((url) => (url.pathname = '/nowhere')))).toMatch(/database nowhere: there is no database nowhere$/);
    expect(await refusalOf(changed((url) => (url.search = '?sslmode=verify-full')))).toMatch(
      /: server and address disagree on TLS \(sslmode\)$/,
    );
  });

  it('if the server does not answer', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const refused: unknown = await openDatabase(`postgres://u:p@127.0.0.1:${port}/x`, { name: NAME, connectTimeoutMs: 50 }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ message: `PostgreSQL at 127.0.0.1:${port}, database x: it does not answer in time` });
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('migrations', () => {
  const steps: readonly Migration[] = [
    'create table notes (id bigint primary key); insert into notes values (1)',
    async (client) => void (await client.query('alter table notes add column text text')),
  ];

  it('run once if several processes start at the same time', async () => {
    const processes = await Promise.all(Array.from({ length: 6 }, () => open({ connectionsMax: 1 })));
    await Promise.all(processes.map((db) => migrate(db, 'notes', steps)));
    expect(await runOnce(place.url, 'select id, text from notes')).toStrictEqual([{ id: '1', text: null }]);
    expect(await runOnce(place.url, 'select name, version from schema_versions')).toStrictEqual([{ name: 'notes', version: 2 }]);
  });

  it('continue at the last version, separately for each schema', async () => {
    const db = await open();
    await migrate(db, 'notes', steps.slice(0, 1));
    await migrate(db, 'others', ['create table others (id bigint)']);
    await migrate(db, 'notes', steps);
    const versions = await runOnce(place.url, 'select name, version from schema_versions order by name');
    expect(versions).toStrictEqual([
      { name: 'notes', version: 2 },
      { name: 'others', version: 1 },
    ]);
  });

  it('change nothing if one of them fails', async () => {
    const db = await open();
    await expect(migrate(db, 'notes', [...steps, 'create table notes (id bigint)'])).rejects.toThrow(/relation "notes" already exists/);
    expect(await runOnce(place.url, "select to_regclass('notes') as notes")).toStrictEqual([{ notes: null }]);
    await migrate(db, 'notes', steps);
  });

  it('reject the schema of a newer release', async () => {
    const db = await open();
    await migrate(db, 'notes', steps);
    await expect(migrate(db, 'notes', steps.slice(0, 1))).rejects.toThrow(
      new DatabaseUnusable('notes: schema 2 is newer than this release knows (1); start the newer release'),
    );
  });

  it('report a missing privilege', async () => {
    await runOnce(server.url, "create role reader login password 'reader'").catch(() => undefined);
    const db = await open(
      {},
      changed((url) => {
        url.username = 'reader';
        url.password = 'reader';
      }),
    );
    await expect(migrate(db, 'notes', steps)).rejects.toThrow(/user reader has not the rights that are needed: permission denied/);
  });
});

describe('a connection pool', () => {
  interface Tables {
    numbers: { readonly id: number };
  }

  it('returns integers as exact numbers or fails', async () => {
    const db = new Kysely<Tables>({ dialect: kyselyDialect(await open()) });
    await sql`create table numbers (id bigint)`.execute(db);
    await db.insertInto('numbers').values({ id: Number.MAX_SAFE_INTEGER }).execute();
    expect(await db.selectFrom('numbers').select('id').execute()).toStrictEqual([{ id: Number.MAX_SAFE_INTEGER }]);
    await sql`insert into numbers values (9007199254740993)`.execute(db);
    await expect(db.selectFrom('numbers').select('id').execute()).rejects.toThrow('a whole number beyond 2^53 was read');
  });

  it('parses a statement once per connection', async () => {
    const pool = await open({ connectionsMax: 1 });
    const db = new Kysely<Tables>({ dialect: kyselyDialect(pool) });
    for (const id of [1, 2, 3]) await sql`select ${id}::bigint as id`.execute(db);
    const { rows } = await pool.pool.query<{ statement: string }>('select statement from pg_prepared_statements');
    expect(rows).toStrictEqual([{ statement: 'select $1::bigint as id' }]);
  });

  it('recovers after its connections were terminated', async () => {
    const pool = await open({ connectionsMax: 2 });
    const db = new Kysely<Tables>({ dialect: kyselyDialect(pool) });
    await sql`select 1`.execute(db);
    const asleep = sql`select pg_sleep(60)`.execute(db);
    await eventually(async () => {
      const sleeping = await runOnce(
        place.url,
        "select 1 from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active' and datname = current_database()",
      );
      return sleeping.length === 1;
    });
    await endSessions(NAME);
    await expect(asleep).rejects.toMatchObject({ code: '57P01' });
    await eventually(() => Promise.resolve(pool.pool.totalCount === 0));
    await expect(sql`select 1 as one`.execute(db)).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });

  it('cancels a statement and a lock wait at their timeouts', async () => {
    const pool = await open({ statementTimeoutMs: 50 });
    await expect(pool.pool.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
    const impatient = await open({ lockTimeoutMs: 20 });
    await runOnce(place.url, 'create table numbers (id bigint)');
    await inTransaction(pool, async (client) => {
      await client.query('lock table numbers');
      await expect(impatient.pool.query('select id from numbers')).rejects.toMatchObject({ code: '55P03' });
    });
  });

  it('rolls back a transaction if its callback fails', async () => {
    const pool = await open({ connectionsMax: 1 });
    const failing = inTransaction(pool, async (client) => {
      await client.query('create table numbers (id bigint)');
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await runOnce(place.url, "select to_regclass('numbers') as numbers")).toStrictEqual([{ numbers: null }]);
  });

  it('does not reuse a connection that was silently cut off', async () => {
    const to = new URL(place.url);
    const sockets: Socket[] = [];
    let isSwallowing = false;
    const network = createServer((client) => {
      const onwards = connect(Number(to.port), to.hostname);
      const isLost = isSwallowing;
      sockets.push(client, onwards);
      client.on('data', (chunk) => (isSwallowing && !isLost ? undefined : onwards.write(chunk)));
      onwards.on('data', (chunk) => client.write(chunk));
      for (const [one, other] of [[client, onwards] as const, [onwards, client] as const]) {
        one.on('error', () => undefined);
        one.on('close', () => other.destroy());
      }
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => network.once('listening', resolve));
    const through = changed((url) => (url.port = String((network.address() as { port: number }).port)));
    const pool = await open({ connectionsMax: 1, statementTimeoutMs: 20, answerGraceMs: 30 }, through);
    const db = new Kysely<Tables>({ dialect: kyselyDialect(pool) });
    await sql`select 1`.execute(db);
    isSwallowing = true;
    await expect(db.transaction().execute((transaction) => sql`select 2`.execute(transaction))).rejects.toThrow('Query read timeout');
    await expect(sql`select 3 as three`.execute(db)).resolves.toMatchObject({ rows: [{ three: 3 }] });
    await closeDatabase(pool);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => network.close(resolve));
  });

  it('does not wait for the disk with rebuildable durability', async () => {
    const settings = async (db: Database): Promise<unknown> =>
      (await db.pool.query<{ synchronous_commit: string }>('show synchronous_commit')).rows[0]?.synchronous_commit;
    expect(await settings(await open())).toBe('on');
    expect(await settings(await open({ durability: 'rebuildable' }))).toBe('off');
  });
});

describe('an advisory lock', () => {
  const locks: AdvisoryLock[] = [];
  let clock: VirtualClock;
  let reported: string[];

  const lock = (who: string, name = 'one'): AdvisoryLock => {
    const made = new AdvisoryLock({
      url: place.url,
      name,
      scheduler: clock,
      onLost: () => reported.push(`${who} lost it`),
      onWaiting: (error) => reported.push(error === undefined ? `${who} waits` : `${who} is away`),
    });
    locks.push(made);
    return made;
  };
  const eventuallyReported = (word: string): Promise<void> => eventually(() => Promise.resolve(reported.includes(word)));

  beforeEach(() => {
    clock = new VirtualClock();
    reported = [];
  });
  afterEach(async () => {
    for (const made of locks.splice(0)) await made.release();
  });

  it('is held by one process and passes to a waiting one on release', async () => {
    const first = lock('first');
    const second = lock('second');
    await lock('other', 'two').acquire();
    await first.acquire();
    const waiting = second.acquire();
    await eventuallyReported('second waits');
    expect([first.isHeld, second.isHeld]).toStrictEqual([true, false]);
    await first.release();
    await clock.advance(1_000);
    await waiting;
    expect([first.isHeld, second.isHeld]).toStrictEqual([false, true]);
    expect(reported).not.toContain('first lost it');
    await expect(first.acquire()).rejects.toThrow('the lock one was given up');
  });

  it('is lost with its session, passes to another process and can be acquired again', async () => {
    const first = lock('first');
    await first.acquire();
    const second = lock('second');
    const waiting = second.acquire();
    await eventuallyReported('second waits');
    const holder =
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())";
    expect(await runOnce(place.url, holder)).toHaveLength(1);
    await eventuallyReported('first lost it');
    expect(first.isHeld).toBe(false);
    await clock.advance(1_000);
    await waiting;
    const again = first.acquire();
    await eventuallyReported('first waits');
    await second.release();
    await clock.advance(1_000);
    await again;
    expect(first.isHeld).toBe(true);
  });

  it('is confirmed while its session lives and not after the session ended', async () => {
    const first = lock('first');
    await expect(first.confirm()).rejects.toThrow('the lock one is not held');
    await first.acquire();
    await expect(first.confirm()).resolves.toBeUndefined();
    await endSessions('one');
    await expect(first.confirm()).rejects.toThrow();
    expect([first.isHeld, reported]).toStrictEqual([false, ['first lost it']]);
  });

  it('passes to a waiting process whose own session ended, too', async () => {
    const first = lock('first');
    await first.acquire();
    const second = lock('second');
    const waiting = second.acquire();
    await eventuallyReported('second waits');
    expect(await endSessions('one')).toHaveLength(2);
    await eventuallyReported('first lost it');
    const sessions = () =>
      runOnce(place.url, "select from pg_stat_activity where application_name = 'one' and datname = current_database()");
    await eventually(async () => (await sessions()).length === 0);
    await clock.advance(1_000);
    await waiting;
    expect(second.isHeld).toBe(true);
  });

  it('is awaited while the server is unavailable', async () => {
    const away = new AdvisoryLock({
      url: changed((url) => (url.port = '1')),
      name: 'one',
      scheduler: systemScheduler,
      onLost: () => undefined,
      onWaiting: (error) => reported.push(error === undefined ? 'waits' : 'is away'),
    });
    const waiting = away.acquire();
    await eventuallyReported('is away');
    const given = expect(waiting).rejects.toThrow('the lock one was given up');
    await away.release();
    await given;
  });
});
