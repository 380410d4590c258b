import { scaled } from '../harness/figure';
import { Program } from '../harness/program';
import type { Requests } from './requests';

export interface Load {
  readonly ports: readonly number[];
  readonly connections: number;
  readonly requests: Requests;
  /** Number of the first request: no two loads of one service share one. */
  readonly from: number;
  /** Requests made before the clock starts. Without a duration, all of them are sent. */
  readonly prepare: number;
  readonly durationMs?: number;
}

export interface LoadResult {
  readonly answered: number;
  readonly elapsedMs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly generatorCpuMs: number;
}

export const CONNECTIONS = 64;
export const WARM_UP_MS = scaled(3_000);
const PREPARED_PER_SECOND = 6_000;
const MS_PER_SECOND = 1_000;
const MICROSECONDS_PER_MS = 1_000;
const MARGIN_MS = 120_000;

export const perSecond = ({ answered, elapsedMs }: Pick<LoadResult, 'answered' | 'elapsedMs'>): number =>
  (answered * MS_PER_SECOND) / elapsedMs;

export class LoadGenerator {
  readonly #program = new Program<Load, LoadResult>('load');
  #from = 0;
  #answered = 0;
  #cpuMs = 0;
  #elapsedMs = 0;

  async run(load: Omit<Load, 'from'>): Promise<LoadResult> {
    const from = this.#from;
    const result = await this.#program.ask({ ...load, from }, (load.durationMs ?? 0) + MARGIN_MS);
    this.#from += Math.max(load.prepare, result.answered) + load.connections;
    this.#answered += result.answered;
    this.#cpuMs += result.generatorCpuMs;
    this.#elapsedMs += result.elapsedMs;
    return result;
  }

  note(): string {
    const perRequest = (this.#cpuMs * MICROSECONDS_PER_MS) / this.#answered;
    const share = (100 * this.#cpuMs) / this.#elapsedMs;
    return `The load generator (a process of its own, raw sockets, requests made before the clock starts) took ${perRequest.toFixed(0)} µs of CPU a request, ${share.toFixed(0)} % of one core over all its runs.`;
  }

  stop(): Promise<void> {
    return this.#program.stop();
  }
}

export interface Acceptor {
  readonly ports: readonly number[];
  readonly cardRefId: string;
}

export const acceptances = (generator: LoadGenerator, { ports, cardRefId }: Acceptor, durationMs: number): Promise<LoadResult> =>
  generator.run({
    ports,
    connections: CONNECTIONS,
    requests: { kind: 'recurrent-payments', cardRefId, prefix: 'load' },
    prepare: Math.ceil((durationMs / MS_PER_SECOND) * PREPARED_PER_SECOND),
    durationMs,
  });
