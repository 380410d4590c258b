import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { startDatabases } from '../../support/processes/production-databases';
import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { median } from '../harness/median';
import { machineCpuMs, processCpuMs, processTreeCpuMs } from '../harness/process-cpu';
import { Program } from '../harness/program';
import { registeredCard } from '../harness/registered-card';
import { ROUNDS, ROUND_SECONDS } from '../harness/rounds';
import { RunningService } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import { acceptances, CONNECTIONS, WARM_UP_MS, type Acceptor } from '../load/acceptances';
import { LoadGenerator, perSecond, type LoadResult } from '../load/load';

const REPLICAS = 2;
const START_TIMEOUT_MS = 30_000;
const US_PER_MS = 1_000;
/** A thread, or a machine, that is busy for this share of the time counts as exhausted. */
const BUSY = 0.9;
const API = 'the api';
const POSTGRES = 'PostgreSQL';
const OTHERS = 'what else ran';

/** A consumer of CPU, with its use so far in ms; undefined where the system does not report it. */
interface Part {
  readonly name: string;
  readonly cpuMs: () => number | undefined;
}

/** The rounds of one number of processes. */
class Series {
  readonly rates: number[] = [];
  readonly p99s: number[] = [];
  /** By part; in CPU-ms for each round. */
  readonly #cpuMs = new Map<string, number[]>();
  readonly #rounds: LoadResult[] = [];
  /** Cores that were busy with anything else, for each round. */
  readonly #others: number[] = [];

  add(result: LoadResult, cpuMs: Iterable<readonly [part: string, cpuMs: number]>, others: number | undefined): void {
    if (others !== undefined) this.#others.push(others);
    this.rates.push(perSecond(result));
    this.p99s.push(result.p99Ms);
    this.#rounds.push(result);
    for (const [part, spent] of cpuMs) this.#cpuMs.set(part, [...(this.#cpuMs.get(part) ?? []), spent]);
  }

  /** One value for each round, in µs. */
  cpuUsPerAcceptance(): readonly (readonly [part: string, rounds: readonly number[]])[] {
    return [...this.#cpuMs].map(([part, spent]) => [part, spent.map((ms, round) => (ms * US_PER_MS) / this.#at(round).answered)]);
  }

  /** How many cores each part and the rest of the machine kept busy, in the middle round of each. */
  cores(): readonly (readonly [part: string, cores: number])[] {
    const ofParts = [...this.#cpuMs].map(([part, spent]) => [part, spent.map((ms, round) => ms / this.#at(round).elapsedMs)] as const);
    const known = this.#others.length === 0 ? ofParts : [...ofParts, [OTHERS, this.#others] as const];
    return known.map(([part, rounds]) => [part, median(rounds)]);
  }

  #at(round: number): LoadResult {
    const result = this.#rounds[round];
    if (result === undefined) throw new RangeError(`there was no round ${round}`);
    return result;
  }
}

/** Names what is exhausted. */
const boundOf = (cores: ReturnType<Series['cores']>, processes: number): string => {
  if (!cores.some(([part]) => part === API)) return 'not told by this system';
  const ofMachine = availableParallelism();
  const sum = cores.reduce((all, [, busy]) => all + busy, 0);
  const each = cores.map(([part, busy]) => `${part} ${busy.toFixed(2)}`).join(', ');
  const full = cores.find(([part, busy]) => part !== POSTGRES && part !== OTHERS && busy >= BUSY * (part === API ? processes : 1));
  if (sum >= BUSY * ofMachine) return `the ${ofMachine} cores of the machine, all busy (${each})`;
  return full === undefined
    ? `neither the machine's ${ofMachine} cores nor any process, but waiting for one another (cores busy: ${each})`
    : `${full[0]}, whose main thread has no more to give (cores busy, of ${ofMachine}: ${each})`;
};

/** Compares acceptances by one and by two `api` processes on the production set: a wire-level test server in a process of its own, and PostgreSQL. */
export const replicas = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const databases = await startDatabases();
    const generator = new LoadGenerator();
    const wire = new Program<object, string>('wire-server');
    const services: RunningService[] = [];
    try {
      const stores = {
        EVENTSTORE_URL: await wire.ask({}, START_TIMEOUT_MS),
        READ_MODEL_URL: databases.readModelUrl,
        VAULT_URL: databases.vaultUrl,
      };
      const options = { dataDir: folder.folder('replicas'), configurationPath: folder.configuration(), roles: 'api', stores } as const;
      for (let replica = 0; replica < REPLICAS; replica++) services.push(await RunningService.start(options));
      const ports = services.map(({ port }) => port);
      const cardRefId = await registeredCard(ports[0] ?? 0, 'registration');
      const { serverPid } = databases;
      const parts: readonly Part[] = [
        { name: API, cpuMs: () => sumOf(services.map(({ pid }) => processCpuMs(pid))) },
        { name: 'the wire server', cpuMs: () => processCpuMs(wire.pid) },
        { name: POSTGRES, cpuMs: () => (serverPid === undefined ? undefined : processTreeCpuMs(serverPid)) },
      ];
      const measured = async (acceptor: Acceptor, series: Series): Promise<void> => {
        const beforeMs = parts.map(({ cpuMs }) => cpuMs());
        const others = othersSince([...services.map(({ pid }) => pid), wire.pid, generator.pid], serverPid);
        const result = await acceptances(generator, acceptor, ROUND_SECONDS * 1_000);
        const spent = parts.flatMap(({ name, cpuMs }, index): (readonly [string, number])[] => {
          const [from, to] = [beforeMs[index], cpuMs()];
          return from === undefined || to === undefined ? [] : [[name, to - from]];
        });
        series.add(result, [...spent, ['the load generator', result.generatorCpuMs]], others());
      };
      const contenders = ports.map((_, index) => ({ ports: ports.slice(0, index + 1), cardRefId, series: new Series() }));
      for (const contender of contenders) await acceptances(generator, contender, WARM_UP_MS);
      for (let round = 0; round < ROUNDS; round++) {
        for (const contender of contenders) await measured(contender, contender.series);
      }
      const figuresOf = ({ ports: { length }, series }: (typeof contenders)[number]): readonly Figure[] => {
        const by = length === 1 ? 'one api process' : `${length} api processes`;
        return [
          { name: `accepted recurrent payments, ${by}`, unit: '/s', rounds: series.rates },
          { name: `p99 of an acceptance, ${by}`, unit: 'ms', rounds: series.p99s },
          ...series
            .cpuUsPerAcceptance()
            .map(([part, rounds]): Figure => ({ name: `CPU an acceptance, ${by}: ${part}`, unit: 'µs', rounds })),
        ];
      };
      const [one, all] = [contenders[0]?.series.rates ?? [], contenders.at(-1)?.series.rates ?? []];
      return {
        figures: [...contenders.flatMap(figuresOf), ratioOf(`${REPLICAS} api processes against one`, all, one)],
        notes: [
          `${CONNECTIONS} connections spread over the processes, each with one request under way; every request another order; ${ROUNDS} rounds of ${ROUND_SECONDS} s each, interleaved, after ${WARM_UP_MS / 1_000} s of warming up. With one process the other runs and is asked nothing.`,
          'All share the machine: the api processes (ROLES=api), the wire-level test server, which answers as EventStoreDB does and keeps its log in memory, PostgreSQL with its ordinary, synced commits, and the load generator. A cluster of its own takes the stores off these cores, and adds the way to it and its own commits.',
          ...contenders.map(({ ports: { length }, series }) => `What bounds ${length} of them: ${boundOf(series.cores(), length)}.`),
          generator.note(),
        ],
      };
    } finally {
      await Promise.all([generator.stop(), ...services.map((service) => service.stop())]);
      await Promise.all([wire.stop(), databases.stop()]);
    }
  });

const sumOf = (values: readonly (number | undefined)[]): number | undefined =>
  values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);

/** Cores busy from now on with anything but these processes and the database, on average; undefined where the system does not report it. */
const othersSince = (pids: readonly number[], databasePid: number | undefined): (() => number | undefined) => {
  const othersMs = (): number | undefined => {
    const machine = machineCpuMs();
    const ours = sumOf([...pids.map(processCpuMs), databasePid === undefined ? 0 : processTreeCpuMs(databasePid)]);
    return machine === undefined || ours === undefined ? undefined : machine - ours;
  };
  const [before, startedAt] = [othersMs(), performance.now()];
  return () => {
    const after = othersMs();
    // Both count by ticks, so the difference must not fall below zero.
    return before === undefined || after === undefined ? undefined : Math.max(0, (after - before) / (performance.now() - startedAt));
  };
};
