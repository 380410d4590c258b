import { Secret, type MerchantLogin } from '@app/kernel';
import { createTestDatabase, openRelay, runOnce, startPostgres, type Postgres, type Relay, type TestDatabase } from '@app/postgres/testing';
import { openRateLimit } from './open-rate-limit';
import { ProcessRateLimit } from './process-rate-limit';
import type { Admission, RateLimit } from './rate-limit';
import { SharedRateLimit } from './shared-rate-limit';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;

/** When a request was asked for and when it was told, so that its place lies between. */
interface Asked {
  readonly sentAt: number;
  readonly toldAt: number;
  readonly admission: Admission;
}

const ask = async (limit: RateLimit, merchant = ACME): Promise<Asked> => {
  const sentAt = performance.now();
  const admission = await limit.admit(merchant);
  return { sentAt, toldAt: performance.now(), admission };
};
const admittedOf = (asked: readonly Asked[]): readonly Asked[] => asked.filter(({ admission }) => admission.kind === 'admitted');

/** The most admissions that lie within one second for certain: asked for after its beginning and told before its end. */
const mostInASecond = (asked: readonly Asked[]): number => {
  const admitted = [...admittedOf(asked)];
  return Math.max(
    0,
    ...admitted.map(({ sentAt: from }) => admitted.filter(({ sentAt, toldAt }) => sentAt >= from && toldAt <= from + 1_000).length),
  );
};

describe('within one process', () => {
  it('each merchant has a rate of its own', async () => {
    const limit = new ProcessRateLimit(2, () => 0);
    const kinds = [];
    for (const merchant of [ACME, ACME, ACME, OTHER]) kinds.push((await limit.admit(merchant)).kind);
    expect(kinds).toStrictEqual(['admitted', 'admitted', 'limited', 'admitted']);
  });

  it('a limit of 0 is none, and files share nothing', async () => {
    const place = { readModel: { kind: 'file', path: '/nowhere' }, monotonicMs: () => 0, onAway: () => undefined } as const;
    const none = await openRateLimit({ requestsPerSecond: 0, ...place });
    const all = await Promise.all(Array.from({ length: 1_000 }, () => none.admit(ACME)));
    expect(all.every(({ kind }) => kind === 'admitted')).toBe(true);
    await expect(openRateLimit({ requestsPerSecond: 1, ...place })).resolves.toBeInstanceOf(ProcessRateLimit);
  });
});

describe('over several processes (safety, T35)', () => {
  let postgres: Postgres;
  let database: TestDatabase;
  let relay: Relay;
  const opened: SharedRateLimit[] = [];
  const problems: unknown[] = [];
  let nowMs = 0;

  const instance = async (requestsPerSecond: number, url = database.url): Promise<SharedRateLimit> => {
    const limit = await SharedRateLimit.open({
      url: new Secret(url),
      requestsPerSecond,
      whileAway: new ProcessRateLimit(requestsPerSecond, () => nowMs),
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

  it('of 1,000 at once on four instances, exactly the limit is admitted, and the rest is told when to come again', async () => {
    const instances = await Promise.all([1, 2, 3, 4].map(() => instance(100)));
    const asked = await Promise.all(Array.from({ length: 1_000 }, (_, index) => ask(instances[index % 4] as SharedRateLimit)));
    expect(mostInASecond(asked)).toBeLessThanOrEqual(100);
    const first = Math.min(...asked.map(({ sentAt }) => sentAt));
    const last = Math.max(...asked.map(({ toldAt }) => toldAt));
    expect(admittedOf(asked).length).toBeGreaterThanOrEqual(100);
    // All of it within one second, as a rule: then not one more.
    if (last - first < 1_000) expect(admittedOf(asked)).toHaveLength(100);
    const waits = asked.flatMap(({ admission }) => (admission.kind === 'limited' ? [admission.retryAfterMs] : []));
    expect(Math.min(...waits)).toBeGreaterThan(0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_010);
    expect(problems).toStrictEqual([]);
  });

  it.each([1, 7, 60])('no second holds more than %i, whichever instances are asked and however they take turns', async (limit) => {
    const instances = await Promise.all([1, 2, 3].map(() => instance(limit)));
    const asked: Asked[] = [];
    const endsAt = performance.now() + 2_400;
    const worker = async (one: SharedRateLimit, seed: number): Promise<void> => {
      for (let round = seed; performance.now() < endsAt; round = (round * 1_103_515_245 + 12_345) % 2_147_483_648) {
        asked.push(...(await Promise.all(Array.from({ length: 1 + (round % 9) }, () => ask(one)))));
      }
    };
    await Promise.all(instances.flatMap((one, index) => [worker(one, index + 1), worker(one, index + 17)]));
    expect(mostInASecond(asked)).toBeLessThanOrEqual(limit);
    // And it is no less: three seconds begin in this time.
    expect(admittedOf(asked).length).toBeGreaterThanOrEqual(2 * limit);
    expect(problems).toStrictEqual([]);
  });

  it('who comes again when told to is let in', async () => {
    const [one, two] = [await instance(1), await instance(1)];
    expect((await one.admit(ACME)).kind).toBe('admitted');
    const { admission, toldAt } = await ask(two);
    if (admission.kind !== 'limited') throw new Error('a second one was admitted');
    const { retryAfterMs } = admission;
    while (performance.now() < toldAt + retryAfterMs) await runOnce(database.url, 'select pg_sleep(0.02)');
    expect((await two.admit(ACME)).kind).toBe('admitted');
  });

  it('each merchant has a rate of its own, and one row', async () => {
    const limit = await instance(1);
    expect([(await limit.admit(ACME)).kind, (await limit.admit(OTHER)).kind]).toStrictEqual(['admitted', 'admitted']);
    await expect(runOnce(database.url, 'select merchant from rate_limits order by merchant')).resolves.toStrictEqual([
      { merchant: 'acme' },
      { merchant: 'other' },
    ]);
  });

  it('keeps a bounded row, however often it is asked', async () => {
    const limit = await instance(1_000_000);
    const endsAt = performance.now() + 1_500;
    while (performance.now() < endsAt) await Promise.all(Array.from({ length: 5 }, () => limit.admit(ACME)));
    const [row] = await runOnce<{ entries: number }>(database.url, 'select cardinality(times) as entries from rate_limits');
    expect(row?.entries).toBeGreaterThan(10);
    expect(row?.entries).toBeLessThanOrEqual(110);
  });

  it('a database clock that was set back turns nobody away until its old dates have come (safety, F28)', async () => {
    const limit = await instance(1);
    expect((await limit.admit(ACME)).kind).toBe('admitted');
    await runOnce(database.url, 'update rate_limits set times = array[times[1] + 3600000]');
    expect((await limit.admit(ACME)).kind).toBe('admitted');
    expect(await limit.admit(ACME)).toMatchObject({ kind: 'limited' });
    const [row] = await runOnce<{ entries: number }>(database.url, 'select cardinality(times) as entries from rate_limits');
    expect(row?.entries).toBe(1);
  });

  it('who came while a question failed waits for no second one', async () => {
    const limit = await instance(3, relay.url);
    expect((await limit.admit(ACME)).kind).toBe('admitted');
    relay.set('closed');
    const first = limit.admit(ACME);
    const waiting = limit.admit(ACME);
    await Promise.all([first, waiting]);
    expect(problems).toHaveLength(1);
  });

  it('each process goes on by itself while the database is away, and together again after it', async () => {
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
