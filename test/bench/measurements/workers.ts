import { performance } from 'node:perf_hooks';
import { startDatabases } from '../../support/processes/production-databases';
import { median, ratioOf, ROUNDS, scaled, type Figure, type Findings } from '../harness/figure';
import { processCpuMs, processTreeCpuMs } from '../harness/process-cpu';
import { Program } from '../harness/program';
import { registeredCard } from '../harness/registered-card';
import { RunningService } from '../harness/service';
import { inWorkFolder, type WorkFolder } from '../harness/work-folder';
import { CONNECTIONS, LoadGenerator } from '../load/load';
import type { ReceiverQuestion } from '../programs/callback-receiver.program';

const ORDERS = scaled(3_000);
const WARM_UP_ORDERS = scaled(1_000);
/** Accepted while no worker runs. */
const WAITING = scaled(20_000);
const ACCEPTED_TOGETHER = 5_000;
const START_TIMEOUT_MS = 30_000;
const BATCH_TIMEOUT_MS = 300_000;
const DRAIN_TIMEOUT_MS = 1_800_000;
const MS_PER_SECOND = 1_000;

const SETS: readonly { readonly name: string; readonly partitions: readonly string[] }[] = [
  { name: 'one worker', partitions: ['1/1'] },
  { name: '2 workers, of which one projects', partitions: ['1/1', '1/1'] },
  { name: '2 workers, each of which projects a half', partitions: ['1/2', '2/2'] },
];

interface Carried {
  readonly rates: number[];
  /** In ms per order, by part and round. */
  readonly cpuMs: Map<string, number[]>;
  /** From the start of the worker's process. */
  readonly outage?: { readonly firstCallbackMs: number; readonly drainedMs: number };
}

const carriedBy = async (folder: WorkFolder, name: string, partitions: readonly string[]): Promise<Carried> => {
  const databases = await startDatabases();
  const generator = new LoadGenerator();
  const wire = new Program<object, string>('wire-server');
  const receiver = new Program<ReceiverQuestion, number>('callback-receiver');
  const services: RunningService[] = [];
  try {
    const callbackPort = await receiver.ask({ kind: 'listen' }, START_TIMEOUT_MS);
    const stores = {
      EVENTSTORE_URL: await wire.ask({}, START_TIMEOUT_MS),
      READ_MODEL_URL: databases.readModelUrl,
      VAULT_URL: databases.vaultUrl,
    };
    const options = { dataDir: folder.folder(name), configurationPath: folder.configuration({ callbackPort }), stores };
    const api = await RunningService.start({ ...options, roles: 'api' });
    services.push(api);
    for (const partition of partitions) services.push(await RunningService.start({ ...options, roles: 'worker', partition }));
    const cardRefId = await registeredCard(api.port);
    const { serverPid } = databases;
    const workers = services.slice(1);
    const parts = new Map([
      ['the api', () => processCpuMs(api.pid)],
      ['the workers', () => workers.reduce((sum, { pid }) => sum + processCpuMs(pid), 0)],
      ['the wire server', () => processCpuMs(wire.pid)],
      ['PostgreSQL', () => (serverPid === undefined ? Number.NaN : processTreeCpuMs(serverPid))],
    ]);
    let expected = 0;
    const callbackUrl = `http://127.0.0.1:${callbackPort}/callback`;
    const requests = { kind: 'recurrent-payments', cardRefId, prefix: 'carried', callbackUrl } as const;
    const accept = (count: number): Promise<unknown> => {
      expected += count;
      return generator.run({ ports: [api.port], connections: CONNECTIONS, requests, prepare: count });
    };
    const carry = async (count: number): Promise<number> => {
      const startedAt = performance.now();
      await Promise.all([accept(count), receiver.ask({ kind: 'wait', count: expected }, BATCH_TIMEOUT_MS)]);
      return performance.now() - startedAt;
    };
    const carryAfterOutage = async (): Promise<NonNullable<Carried['outage']>> => {
      for (const worker of workers) await worker.stop();
      const before = expected;
      for (let left = WAITING; left > 0; left -= ACCEPTED_TOGETHER) await accept(Math.min(left, ACCEPTED_TOGETHER));
      const startedAt = performance.now();
      services.push(await RunningService.start({ ...options, roles: 'worker' }));
      await receiver.ask({ kind: 'wait', count: before + 1 }, BATCH_TIMEOUT_MS);
      const firstCallbackMs = performance.now() - startedAt;
      await receiver.ask({ kind: 'wait', count: expected }, DRAIN_TIMEOUT_MS);
      return { firstCallbackMs, drainedMs: performance.now() - startedAt };
    };
    const found: Carried = { rates: [], cpuMs: new Map([...parts.keys()].map((part) => [part, []])) };
    await carry(WARM_UP_ORDERS);
    for (let round = 0; round < ROUNDS; round++) {
      const before = new Map([...parts].map(([part, cpuMs]) => [part, cpuMs()]));
      found.rates.push((ORDERS * MS_PER_SECOND) / (await carry(ORDERS)));
      for (const [part, cpuMs] of parts) found.cpuMs.get(part)?.push((cpuMs() - (before.get(part) ?? Number.NaN)) / ORDERS);
    }
    return partitions.length > 1 ? found : { ...found, outage: await carryAfterOutage() };
  } finally {
    await Promise.all([generator.stop(), receiver.stop(), ...services.map((service) => service.stop())]);
    await Promise.all([wire.stop(), databases.stop()]);
  }
};

export const workers = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const sets: (readonly [name: string, Carried])[] = [];
    for (const { name, partitions } of SETS) sets.push([name, await carriedBy(folder, name.replace(/\W+/g, '-'), partitions)]);
    const [one, two, halves] = sets.map(([, { rates }]) => rates);
    const afterOutage = sets.flatMap(([name, { rates, outage }]): readonly Figure[] => {
      if (outage === undefined) return [];
      const orders = WAITING.toLocaleString('en');
      const drained = (WAITING * MS_PER_SECOND) / outage.drainedMs;
      return [
        {
          name: `first callback of ${name} that starts on ${orders} waiting orders`,
          unit: 'ms',
          rounds: [outage.firstCallbackMs],
          bound: { kind: 'at-most', asked: 3_000 },
        },
        { name: `orders carried, ${name} that starts on ${orders}`, unit: '/s', rounds: [drained] },
        ratioOf('orders carried while others are accepted, against that', [median(rates)], [drained], { kind: 'at-most', asked: 1.3 }),
      ];
    });
    const figures = sets.flatMap(([name, { rates, cpuMs }]): readonly Figure[] => [
      { name: `orders carried, ${name}`, unit: '/s', rounds: rates },
      ...[...cpuMs].map(([part, rounds]): Figure => ({ name: `CPU an order, ${name}: ${part}`, unit: 'ms', rounds })),
    ]);
    return {
      figures: [
        ...figures,
        ...afterOutage,
        ratioOf('2 workers against one', two ?? [], one ?? [], { kind: 'at-least', asked: 1.7 }),
        ratioOf('2 workers, each a half, against one', halves ?? [], one ?? []),
      ],
    };
  });
