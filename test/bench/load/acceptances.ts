import type { LoadGenerator, LoadResult } from './load';

export const CONNECTIONS = 64;
export const WARM_UP_MS = 3_000;
/** Requests made before the clock starts, for a second of load. */
export const PREPARED_PER_SECOND = 6_000;

export interface Acceptor {
  readonly ports: readonly number[];
  readonly cardRefId: string;
}

/** Sends recurrent payments, each another order, over all connections for this long. */
export const acceptances = (generator: LoadGenerator, { ports, cardRefId }: Acceptor, durationMs: number): Promise<LoadResult> =>
  generator.run({
    ports,
    connections: CONNECTIONS,
    requests: { kind: 'recurrent-payments', cardRefId, prefix: 'load' },
    prepare: Math.ceil((durationMs / 1_000) * PREPARED_PER_SECOND),
    durationMs,
  });
