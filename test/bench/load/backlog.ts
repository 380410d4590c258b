import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { processCpuMs } from '../harness/process-cpu';
import { registeredCard } from '../harness/registered-card';
import { RunningService } from '../harness/service';
import type { WorkFolder } from '../harness/work-folder';
import { LoadGenerator } from './load';

const { openDatabase } = built<typeof import('@app/sqlite')>('libs/sqlite/index.js');

const CONNECTIONS = 64;
const ACCEPTED_TOGETHER = 5_000;
const READY_TIMEOUT_MS = 600_000;
const DRAIN_TIMEOUT_MS = 3_600_000;
const LOOK_MS = 100;
export const BACKLOG_GATE = 'sim-b';

/**
 * Makes a backlog of orders that are due at one gate, accepted by a service that works on none and projects nothing.
 * @returns the data directory
 */
export const backlogOf = async (folder: WorkFolder, name: string, count: number): Promise<string> => {
  const dataDir = folder.folder(name);
  const configurationPath = folder.configuration();
  const first = await RunningService.start({ dataDir, configurationPath, roles: 'api,worker' });
  const cardRefId = await registeredCard(first.port, 'registration');
  await first.stop();
  const service = await RunningService.start({ dataDir, configurationPath, roles: 'api' });
  const generator = new LoadGenerator();
  try {
    for (let left = count; left > 0; left -= ACCEPTED_TOGETHER) {
      await generator.run({
        ports: [service.port],
        connections: CONNECTIONS,
        requests: { kind: 'recurrent-payments', cardRefId, prefix: 'backlog', endpointId: ACME.otherEndpointId },
        prepare: Math.min(left, ACCEPTED_TOGETHER),
      });
    }
  } finally {
    await Promise.all([generator.stop(), service.stop()]);
  }
  return dataDir;
};

export const copyOf = (folder: WorkFolder, dataDir: string, name: string): string => {
  const copy = folder.folder(name);
  cpSync(dataDir, copy, { recursive: true });
  return copy;
};

export interface Drained {
  readonly elapsedMs: number;
  /** CPU of the service, all threads; not a number where the system does not report it. */
  readonly cpuMs: number;
  /** The largest number of later orders that were begun before an earlier one. */
  readonly overtakenBy: number;
}

/** Starts a service on a backlog and waits until it has carried all of it; the clock starts when it is ready, with everything projected. */
export const drain = async (folder: WorkFolder, dataDir: string): Promise<Drained> => {
  const service = await RunningService.start({
    dataDir,
    configurationPath: folder.configuration(),
    roles: 'api,worker',
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
  try {
    const startedAt = performance.now();
    const cpuAtStart = processCpuMs(service.pid) ?? Number.NaN;
    const model = openDatabase(join(dataDir, 'read-model.sqlite'), { readOnly: true });
    try {
      const { generation } = model.prepare("SELECT generation FROM generations WHERE projection = 'open-work:orders'").get() as {
        generation: number;
      };
      const any = model.prepare(`SELECT 1 FROM open_work_orders_g${generation} LIMIT 1`);
      while (any.get() !== undefined) {
        if (performance.now() - startedAt > DRAIN_TIMEOUT_MS) throw new Error('the backlog was not carried in time');
        await delay(LOOK_MS);
      }
    } finally {
      model.close();
    }
    const cpuMs = (processCpuMs(service.pid) ?? Number.NaN) - cpuAtStart;
    return { elapsedMs: performance.now() - startedAt, cpuMs, overtakenBy: overtaken(dataDir) };
  } finally {
    await service.stop();
  }
};

/** Compares the order of acceptance with the order in which attempts began. */
const overtaken = (dataDir: string): number => {
  const log = openDatabase(join(dataDir, 'events.sqlite'), { readOnly: true });
  try {
    const started = log
      .prepare(
        `SELECT started.position AS position FROM events AS accepted JOIN events AS started ON started.stream = accepted.stream
         WHERE accepted.type = 'OrderAccepted' AND accepted.category = 'recurring' AND started.type = 'AttemptStarted'
         ORDER BY accepted.position`,
      )
      .all() as readonly { readonly position: number }[];
    const places = new Map(
      started
        .map(({ position }) => position)
        .sort((a, b) => a - b)
        .map((position, place) => [position, place]),
    );
    return Math.max(0, ...started.map(({ position }, index) => (places.get(position) ?? 0) - index));
  } finally {
    log.close();
  }
};
