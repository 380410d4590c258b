import { createTestDatabase, startPostgres } from '@app/databases/testing';
import { quantile, ROUNDS, scaled, type Figure, type Findings } from '../harness/figure';
import { ACME, IDLE_SHOP, SHOPS } from '../harness/acme';
import { built } from '../harness/built';
import { fineCpuMs, processTree } from '../harness/process-cpu';
import { askOnce } from '../harness/program';
import { freePort } from '../harness/running-program';
import { RunningService } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import { fillOperatedLog, type Filled } from '../load/filled-log';
import { OperatorClient } from '../load/operator-client';
import type { BuildService } from '../programs/build-service.program';

const { newOperatorToken, sha256OfToken } = built<typeof import('@app/configuration')>('libs/configuration/index.js');

const EVENTS = scaled(1_000_000);
/** In each round; a percentile is of all rounds. */
const ASKED = scaled(40);
const WARM_UP = scaled(5);
const SAMPLE = 100;
const TIMEOUT_MS = 1_800_000;
const P99_MAX = { kind: 'at-most', asked: 20 } as const;
/** Of the largest page. */
const DEEP_PAGES = 4;
const DEEP_LIMIT = 500;
const P99 = 0.99;
const BASE = 'session';

/** Merchants of investigators: nearly all, one with some thousand orders, and one without. */
const LIMITED = {
  'of 20 merchants': [ACME.login, ...SHOPS],
  'of one merchant': [SHOPS[0]],
  'of a merchant without orders': [IDLE_SHOP],
} as const;
type Asking = 'admin' | keyof typeof LIMITED;
const LIMITED_NAMES = Object.keys(LIMITED) as (keyof typeof LIMITED)[];

/** A path with filters, by its route. Lists are also asked for a page far from the first one. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  deliveries: [
    '',
    'state=failed',
    'state=waiting',
    'state=exhausted',
    'state=delivered',
    'target=notify',
    'state=failed&target=notify',
    `merchant=${ACME.login}`,
    `merchant=${SHOPS[1]}`,
    `merchant=${IDLE_SHOP}`,
    `state=failed&merchant=${ACME.login}`,
    'since=2026-01-01T01:00:00Z&until=2026-01-01T03:00:00Z',
  ],
  disputes: ['', 'state=over', `merchant=${SHOPS[1]}`, 'since=2026-06-01T00:00:00Z', `state=over&merchant=${ACME.login}`],
  activity: [
    '',
    'person=person-7',
    'kind=query',
    'kind=action',
    'kind=refusal',
    'name=show-order',
    'person=person-7&name=list-orders',
    'since=2026-01-01T01:00:00Z&until=2026-01-01T03:00:00Z',
  ],
  approvals: ['', 'state=waiting', 'state=decided', 'state=approved', 'mine=true'],
  'reconciliation/cases': ['', 'all=true', 'gate=sim-a', 'kind=duplicate', 'gate=sim-b&kind=different&all=true'],
  'audit/orders': [
    '',
    `merchant=${ACME.login}`,
    'status=approved',
    'status=unknown',
    'status=declined',
    'code=116',
    'amountFrom=99999999.00&amountTo=99999999.00&currency=USD',
    'approvalCode=A1B2C3',
    'rrn=100000007',
    'lastFour=1111',
  ],
};
const WHOLE = ['overview', 'orders/unknown', 'gates', 'holds', 'what-ifs', 'log', 'log/checkpoints'] as const;
const OF_ADMIN = ['projections', 'streams/parked', 'configuration/status', 'audit/configuration'] as const;
const ofOrder = ({ orderId, stream, clientOrderId }: Filled['sample'][number]): readonly string[] => [
  `orders/${orderId}`,
  `orders/${orderId}/deliveries`,
  `orders/find?q=${clientOrderId}`,
  `audit/orders/${orderId}`,
  `audit/orders/${orderId}/steps`,
  `audit/orders/${orderId}/state`,
  `audit/orders/${orderId}/why?field=status`,
  `audit/events/${stream}/2`,
  `log/proofs?stream=${stream}&revision=2`,
  `activity?target=${orderId}`,
  `reconciliation/cases?order=${orderId}`,
];

interface Read {
  readonly name: string;
  readonly by: Asking;
  /** One after the other. */
  readonly paths: readonly string[];
}

const withCursor = (path: string, cursor: string, limit?: number): string =>
  `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}${limit === undefined ? '' : `&limit=${limit}`}`;

/** Undefined for a list of one page. */
const deepPathOf = async (client: OperatorClient, path: string): Promise<string | undefined> => {
  const nextOf = async (asked: string): Promise<string | undefined> => (JSON.parse(await client.get(asked)) as { next?: string }).next;
  let deep: string | undefined;
  let next = await nextOf(path);
  for (let page = 0; next !== undefined && page < DEEP_PAGES; page++) {
    deep = next;
    next = await nextOf(withCursor(path, next, DEEP_LIMIT));
  }
  return deep === undefined ? undefined : withCursor(path, deep);
};

const readsOf = async (clients: ReadonlyMap<Asking, OperatorClient>, sample: Filled['sample']): Promise<readonly Read[]> => {
  const reads: Read[] = [{ name: BASE, by: 'admin', paths: ['/session'] }];
  for (const [by, client] of clients) {
    const add = (path: string, name = path): void => void reads.push({ name: by === 'admin' ? name : `${name}, ${by}`, by, paths: [path] });
    for (const path of by === 'admin' ? [...WHOLE, ...OF_ADMIN] : ['overview', 'orders/unknown']) add(`/${path}`, path);
    for (const [list, filters] of Object.entries(LISTS)) {
      for (const filter of filters) {
        const path = `/${list}${filter === '' ? '' : `?${filter}`}`;
        if (by !== 'admin' && filter.includes('merchant=')) continue;
        add(path, path.slice(1));
        const deep = await deepPathOf(client, path);
        if (deep !== undefined) add(deep, `${path.slice(1)}, a late page`);
      }
    }
  }
  const asked = sample.map(ofOrder);
  for (const [index, path] of (asked[0] ?? []).entries()) {
    const name = path.replace(/(?<=\/|=)(filled-\d+|r[a-z0-9]{15}|\d{6,}|recurring-[a-z0-9-]+)/g, '…');
    reads.push({ name, by: 'admin', paths: asked.map((paths) => `/${paths[index] ?? ''}`) });
  }
  return reads;
};

interface Measured {
  readonly wallMs: number[];
  readonly cpuMs: number[];
}

const measure = async (client: OperatorClient, { paths }: Read, pids: readonly number[]): Promise<Measured> => {
  const found: Measured = { wallMs: [], cpuMs: [] };
  for (let number = -WARM_UP; number < ASKED; number++) {
    const path = paths[(number + WARM_UP) % paths.length] ?? '/';
    const before = fineCpuMs(pids);
    const askedAt = performance.now();
    await client.get(path);
    const wallMs = performance.now() - askedAt;
    if (number < 0) continue;
    found.wallMs.push(wallMs);
    found.cpuMs.push(fineCpuMs(pids) - before);
  }
  return found;
};

/** In ms. */
interface Times {
  readonly route: string;
  readonly name: string;
  readonly p50: number;
  readonly p99: number;
  readonly cpuP50: number;
  readonly cpuP99: number;
}

const timesOf = ({ name }: Read, rounds: readonly (Measured | undefined)[]): Times => {
  const of = (part: keyof Measured, fraction: number): number =>
    quantile(
      rounds.flatMap((round) => round?.[part] ?? []),
      fraction,
    );
  const [route = name] = name.split(/[?,]/);
  return { route, name, p50: of('wallMs', 0.5), p99: of('wallMs', P99), cpuP50: of('cpuMs', 0.5), cpuP99: of('cpuMs', P99) };
};

/** The slowest read of each route. */
const slowestOf = (found: readonly Times[]): readonly Times[] => {
  const slowest = new Map<string, Times>();
  for (const times of found) {
    const other = slowest.get(times.route);
    if (other === undefined || times.p99 > other.p99) slowest.set(times.route, times);
  }
  return [...slowest.values()];
};

const listOf = (store: string, found: readonly Times[]): string => {
  const base = found[0]?.cpuP50 ?? Number.NaN;
  const lines = found.map(({ name, p50, p99, cpuP50, cpuP99 }) =>
    [name, ...[p50, p99, cpuP50, cpuP99, cpuP50 / base].map((value) => value.toFixed(2))].join('; '),
  );
  return [`${store}, each read: p50; p99; p50 of CPU; p99 of CPU, in ms; CPU against GET /session`, '', ...lines].join('\n');
};

/** Wall-clock and CPU times of each read, with those of PostgreSQL if it has the read models. */
export const audit = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const tokens = new Map((['admin', ...LIMITED_NAMES] as const).map((name) => [name, newOperatorToken()]));
    const operators = [...tokens].map(([name, token], index) => ({
      name: `asking-${index}`,
      role: name === 'admin' ? 'admin' : 'investigator',
      tokenSha256: sha256OfToken(token),
      ...(name !== 'admin' && { merchants: LIMITED[name] }),
    }));
    const configurationPath = folder.configuration({ shops: [...SHOPS, IDLE_SHOP], operators });
    const dataDir = folder.folder('filled');
    const { sample } = await fillOperatedLog(dataDir, EVENTS, SAMPLE);
    const server = await startPostgres();
    try {
      const database = await createTestDatabase(server);
      const figures: Figure[] = [];
      const notes: string[] = [];
      for (const [store, readModelUrl] of [
        ['SQLite', undefined],
        ['PostgreSQL', database.url],
      ] as const) {
        const place = readModelUrl === undefined ? {} : { readModelUrl };
        await askOnce<BuildService, void>('build-service', { dataDir, ...place }, TIMEOUT_MS);
        const operatorPort = await freePort();
        const stores = readModelUrl === undefined ? {} : { READ_MODEL_URL: readModelUrl };
        // Only the api, so that no projecting is measured with the reads.
        const service = await RunningService.start({ dataDir, configurationPath, roles: 'api', stores, operatorPort });
        const clients = new Map([...tokens].map(([name, token]) => [name, new OperatorClient(operatorPort, token)] as const));
        try {
          const reads = await readsOf(clients, sample);
          const rounds: (readonly Measured[])[] = [];
          for (let round = 0; round < ROUNDS; round++) {
            const measured: Measured[] = [];
            for (const read of reads) {
              const client = clients.get(read.by);
              if (client === undefined) throw new Error('nobody asks');
              const pids = [service.pid, ...(readModelUrl === undefined || server.pid === undefined ? [] : processTree(server.pid))];
              measured.push(await measure(client, read, pids));
            }
            rounds.push(measured);
          }
          const found = reads.map((read, index) =>
            timesOf(
              read,
              rounds.map((measured) => measured[index]),
            ),
          );
          figures.push(
            ...slowestOf(found).map(({ name, p99 }): Figure => ({
              name: `${store}, ${name}: p99`,
              unit: 'ms',
              rounds: [p99],
              bound: P99_MAX,
            })),
          );
          notes.push(listOf(store, found));
        } finally {
          for (const client of clients.values()) client.close();
          await service.stop();
        }
      }
      await database.drop();
      return { figures, notes };
    } finally {
      await server.stop();
    }
  });
