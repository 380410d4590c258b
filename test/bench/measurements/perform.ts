import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { processCpuMs } from '../harness/process-cpu';
import { Program } from '../harness/program';
import { ROUNDS, ROUND_SECONDS } from '../harness/rounds';
import { freePort } from '../harness/running-program';
import { RunningService } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import { CONNECTIONS, PREPARED_PER_SECOND, WARM_UP_MS } from '../load/acceptances';
import { LoadGenerator, perSecond, type LoadResult } from '../load/load';

const START_TIMEOUT_MS = 30_000;
const MICROSECONDS_PER_MS = 1_000;

interface Contender {
  readonly pid: number;
  readonly port: number;
  readonly results: LoadResult[];
  /** CPU of the process for each request, in µs. */
  readonly cpu: number[];
}

/** Compares the answer to a perform sale with a bare route of the framework. */
export const perform = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const generator = new LoadGenerator();
    const bare = new Program<Record<string, never>, { readonly port: number }>('bare-perform');
    const services: RunningService[] = [];
    try {
      // No merchant server listens there: with ROLES=api an order that came without a security code is left to a worker.
      const configurationPath = folder.configuration({ merchantPort: await freePort() });
      const service = await RunningService.start({ dataDir: folder.folder('perform'), configurationPath, roles: 'api' });
      services.push(service);
      const { port } = await bare.ask({}, START_TIMEOUT_MS);
      const bareRoute: Contender = { pid: bare.pid, port, results: [], cpu: [] };
      const gateway: Contender = { pid: service.pid, port: service.port, results: [], cpu: [] };
      const load = (contender: Contender, durationMs: number): Promise<LoadResult> =>
        generator.run({
          ports: [contender.port],
          connections: CONNECTIONS,
          requests: { kind: 'device-sales' },
          prepare: Math.ceil((durationMs / 1_000) * PREPARED_PER_SECOND),
          durationMs,
        });
      const contenders = [bareRoute, gateway];
      for (const contender of contenders) await load(contender, WARM_UP_MS);
      for (let round = 0; round < ROUNDS; round++) {
        for (const contender of contenders) {
          const before = processCpuMs(contender.pid);
          const result = await load(contender, ROUND_SECONDS * 1_000);
          const after = processCpuMs(contender.pid);
          contender.results.push(result);
          if (before !== undefined && after !== undefined) contender.cpu.push(((after - before) * MICROSECONDS_PER_MS) / result.answered);
        }
      }
      const rates = ({ results }: Contender): number[] => results.map(perSecond);
      const rate = (name: string, contender: Contender): Figure => ({ name, unit: '/s', rounds: rates(contender) });
      const cpu = (name: string, contender: Contender): readonly Figure[] =>
        contender.cpu.length === 0 ? [] : [{ name, unit: 'µs', rounds: contender.cpu }];
      const p99 = (name: string, { results }: Contender): Figure => ({ name, unit: 'ms', rounds: results.map(({ p99Ms }) => p99Ms) });
      return {
        figures: [
          rate("bare route, Express's JSON parser and Nest's validation pipe", bareRoute),
          rate('performs answered', gateway),
          ratioOf('performs against the bare route', rates(gateway), rates(bareRoute), { kind: 'at-least', asked: 0.6 }),
          ...cpu('CPU of the bare route a request', bareRoute),
          ...cpu('CPU of the gateway a perform, all threads', gateway),
          p99('p99 of the bare route', bareRoute),
          p99('p99 of a perform', gateway),
        ],
        notes: [
          `${CONNECTIONS} connections, each with one request under way; every request a sale of another invoice, device and consumer with its own signature; ${ROUNDS} rounds of ${ROUND_SECONDS} s each, interleaved, after ${WARM_UP_MS / 1_000} s of warming up.`,
          'The gateway runs with ROLES=api and LOG_LEVEL=warn and answers after two synced appends, one after the other: the nonce claimed, then the order accepted. The sale names a card that was mapped before, without a security code, so that a worker elsewhere would go on with it and what is measured is perform alone: with a card it also keeps the card in the vault, and the process that answers goes on at once (the chapter on sales of devices).',
          "The bare route is what the framework has for it: a NestJS controller on Express with the framework's JSON parser, its validation pipe over the same message class with all its nested classes, one HMAC-SHA1, an object of the same members returned; it keeps and logs nothing.",
          generator.note(),
        ],
      };
    } finally {
      await Promise.all([generator.stop(), bare.stop(), ...services.map((service) => service.stop())]);
    }
  });
