import { Secret, type MerchantLogin } from '@app/kernel';
import {
  createTestDatabase,
  openRelay,
  runOnce,
  startPostgres,
  type Postgres,
  type Relay,
  type TestDatabase,
} from '@app/databases/testing';
import { openRateLimit, ProcessRateLimit } from './open-rate-limit';
import { type Admission, type RateLimit, SharedRateLimit } from './shared-rate-limit';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;

interface Attempt {
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly admission: Admission;
}

const attempt = async (limit: RateLimit, merchant = ACME): Promise<Attempt> => {
  const sentAt = performance.now();
  const admission = await limit.admit(merchant);
  return { sentAt, answeredAt: performance.now(), admission };
};
const admittedOf = (attempts: readonly Attempt[]): readonly Attempt[] => attempts.filter(({ admission }) => admission.kind === 'admitted');

/** Most admissions that certainly lie within one second: sent after its start and answered before its end. */
const mostInASecond = (attempts: readonly Attempt[]): number => {
  const admitted = [...admittedOf(attempts)];
  return Math.max(
    0,
    ...admitted.map(({ sentAt: from }) => admitted.filter(({ sentAt, answeredAt }) => sentAt >= from && answeredAt <= from + 1_000).length),
  );
};

describe('the rate limit of one process', () => {
  it('counts each merchant separately [W229]', async () => {
    const limit = new ProcessRateLimit(
      () => 2,
      () => 0,
    );
    const kinds = [];
    for (const merchant of [ACME, ACME, ACME, OTHER]) kinds.push((await limit.admit(merchant)).kind);
    expect(kinds).toStrictEqual(['admitted', 'admitted', 'limited', 'admitted']);
  });

  it('is unlimited if set to 0, and local to the process if the read model is a file', async () => {
    const options = { readModel: { kind: 'file', path: '/nowhere' }, monotonicMs: () => 0, onAway: () => undefined } as const;
    const none = await openRateLimit({ requestsPerSecond: () => 0, ...options });
    const all = await Promise.all(Array.from({ length: 1_000 }, () => none.admit(ACME)));
    expect(all.every(({ kind }) => kind === 'admitted')).toBe(true);
    const one = await openRateLimit({ requestsPerSecond: () => 1, ...options });
    expect([(await one.admit(ACME)).kind, (await one.admit(ACME)).kind]).toStrictEqual(['admitted', 'limited']);
  });
});

it('the rate limit of one process follows its setting from one request to the next', async () => {
  let requestsPerSecond = 1;
  const options = { readModel: { kind: 'file', path: '/nowhere' }, monotonicMs: () => 0, onAway: () => undefined } as const;
  const limit = await openRateLimit({ requestsPerSecond: () => requestsPerSecond, ...options });
  const kinds = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => limit.admit(ACME)))).map(({ kind }) => kind);
  expect(await kinds(2)).toStrictEqual(['admitted', 'limited']);
  requestsPerSecond = 3;
  expect(await kinds(3)).toStrictEqual(['admitted', 'admitted', 'limited']);
  requestsPerSecond = 0;
  expect(new Set(await kinds(10))).toStrictEqual(new Set(['admitted']));
  requestsPerSecond = 2;
  expect(await kinds(1)).toStrictEqual(['limited']);
});

describe('the rate limit shared by several processes (safety, T35)', () => {
  let postgres: Postgres;
  let database: TestDatabase;
  let relay: Relay;
  const opened: SharedRateLimit[] = [];
  const problems: unknown[] = [];
  let nowMs = 0;

  const instance = async (requestsPerSecond: number, url = database.url): Promise<SharedRateLimit> => {
    const limit = await SharedRateLimit.open({
      url: new Secret(url),
      requestsPerSecond: () => requestsPerSecond,
      fallback: new ProcessRateLimit(
        () => requestsPerSecond,
        () => nowMs,
      ),
      monotonicMs: () => nowMs,
      onAway: (error) => problems.push(error),
    });
    opened.push(limit);
    return limit;
  };

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    problems.length = 0;
    database = await createTestDatabase(postgres);
    relay = await openRelay(database.url);
  });
  afterEach(async () => {
    for (const limit of opened.splice(0)) await limit.close();
    await relay.close();
    await database.drop();
  });

  it('admits exactly its limit if four instances get 1,000 simultaneous requests, and returns the retry delay', async () => {
    const instances = await Promise.all([1, 2, 3, 4].map(() => instance(100)));
    const attempts = await Promise.all(Array.from({ length: 1_000 }, (_, index) => attempt(instances[index % 4] as SharedRateLimit)));
    expect(mostInASecond(attempts)).toBeLessThanOrEqual(100);
    const first = Math.min(...attempts.map(({ sentAt }) => sentAt));
    const last = Math.max(...attempts.map(({ answeredAt }) => answeredAt));
    expect(admittedOf(attempts).length).toBeGreaterThanOrEqual(100);
    // Exact if everything happened within one second, which is the usual case.
    if (last - first < 1_000) expect(admittedOf(attempts)).toHaveLength(100);
    const waits = attempts.flatMap(({ admission }) => (admission.kind === 'limited' ? [admission.retryAfterMs] : []));
    expect(Math.min(...waits)).toBeGreaterThan(0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_010);
    expect(problems).toStrictEqual([]);
  });

  it.each([1, 7, 60])('admits at most %i requests in any second over all instances', async (limit) => {
    const instances = await Promise.all([1, 2, 3].map(() => instance(limit)));
    const attempts: Attempt[] = [];
    const endsAt = performance.now() + 2_400;
    const worker = async (one: SharedRateLimit, seed: number): Promise<void> => {
      for (let round = seed; performance.now() < endsAt; round = (round * 1_103_515_245 + 12_345) % 2_147_483_648) {
        attempts.push(...(await Promise.all(Array.from({ length: 1 + (round % 9) }, () => attempt(one)))));
      }
    };
    await Promise.all(instances.flatMap((one, index) => [worker(one, index + 1), worker(one, index + 17)]));
    expect(mostInASecond(attempts)).toBeLessThanOrEqual(limit);
    // Three seconds start in this time, so the limit is also reached.
    expect(admittedOf(attempts).length).toBeGreaterThanOrEqual(2 * limit);
    expect(problems).toStrictEqual([]);
  });

  it('admits a request that is retried after the returned delay', async () => {
    const [one, two] = [await instance(1), await instance(1)];
    expect((await one.admit(ACME)).kind).toBe('admitted');
    const { admission, answeredAt } = await attempt(two);
    if (admission.kind !== 'limited') throw new Error('a second one was admitted');
    const { retryAfterMs } = admission;
    while (performance.now() < answeredAt + retryAfterMs) await runOnce(database.url, 'select pg_sleep(0.02)');
    expect((await two.admit(ACME)).kind).toBe('admitted');
  });

  it('takes its connections when the first limit is set, and applies within the process until then', async () => {
    let requestsPerSecond = 0;
    const readModel = { kind: 'postgres', url: new Secret(relay.url) } as const;
    const options = { readModel, monotonicMs: () => nowMs, onAway: (error: unknown) => problems.push(error) };
    relay.set('closed');
    const limit = await openRateLimit({ requestsPerSecond: () => requestsPerSecond, ...options });
    await limit.admit(ACME);
    expect(problems).toStrictEqual([]);
    requestsPerSecond = 1;
    expect([(await limit.admit(ACME)).kind, (await limit.admit(ACME)).kind]).toStrictEqual(['admitted', 'limited']);
    while (problems.length === 0) await runOnce(database.url, 'select pg_sleep(0.02)');
    relay.set('open');
    nowMs += 10_000;
    const known = async () => (await runOnce(database.url, "select 1 from pg_tables where tablename = 'rate_limits'")).length > 0;
    while (!(await known())) await limit.admit(OTHER);
    const counted = async () => (await runOnce(database.url, 'select merchant from rate_limits')).length > 0;
    while (!(await counted())) await limit.admit(OTHER);
    await limit.close();
  });

  it('counts each merchant separately in one row', async () => {
    const limit = await instance(1);
    expect([(await limit.admit(ACME)).kind, (await limit.admit(OTHER)).kind]).toStrictEqual(['admitted', 'admitted']);
    await expect(runOnce(database.url, 'select merchant from rate_limits order by merchant')).resolves.toStrictEqual([
      { merchant: 'acme' },
      { merchant: 'other' },
    ]);
  });

  it('keeps a bounded row under many requests', async () => {
    const limit = await instance(1_000_000);
    const endsAt = performance.now() + 1_500;
    while (performance.now() < endsAt) await Promise.all(Array.from({ length: 5 }, () => limit.admit(ACME)));
    const [row] = await runOnce<{ entries: number }>(database.url, 'select cardinality(times) as entries from rate_limits');
    expect(row?.entries).toBeGreaterThan(10);
    expect(row?.entries).toBeLessThanOrEqual(110);
  });

  it('refuses a merchant for at most a second after the database clock is set back (safety, F28)', async () => {
    const limit = await instance(1);
    expect((await limit.admit(ACME)).kind).toBe('admitted');
    await runOnce(database.url, 'update rate_limits set times = array[times[1] + 3600000]');
    expect((await limit.admit(ACME)).kind).toBe('admitted');
    expect(await limit.admit(ACME)).toMatchObject({ kind: 'limited' });
    const [row] = await runOnce<{ entries: number }>(database.url, 'select cardinality(times) as entries from rate_limits');
    expect(row?.entries).toBe(1);
  });

  it('does not repeat a failed query for requests that waited for it', async () => {
    const limit = await instance(3, relay.url);
    expect((await limit.admit(ACME)).kind).toBe('admitted');
    relay.set('closed');
    const first = limit.admit(ACME);
    const waiting = limit.admit(ACME);
    await Promise.all([first, waiting]);
    expect(problems).toHaveLength(1);
  });

  it('applies per process while the database is away, and to all processes afterwards', async () => {
    const limit = await instance(3, relay.url);
    expect((await limit.admit(ACME)).kind).toBe('admitted');
    relay.set('closed');
    const alone = await Promise.all(Array.from({ length: 10 }, () => limit.admit(ACME)));
    expect(alone.filter(({ kind }) => kind === 'admitted')).toHaveLength(3);
    expect(problems.length).toBeGreaterThan(0);
    relay.set('open');
    const before = problems.length;
    nowMs += 1_001;
    const [one] = await runOnce<{ times: string[] }>(database.url, 'select times from rate_limits');
    await limit.admit(OTHER);
    expect(problems).toHaveLength(before);
    await expect(runOnce(database.url, "select 1 as one from rate_limits where merchant = 'other'")).resolves.toHaveLength(1);
    expect(one?.times).toHaveLength(1);
  });
});
