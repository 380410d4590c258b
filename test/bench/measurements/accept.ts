import { ratioOf, ROUNDS, scaled, type Findings, type Figure } from '../harness/figure';
import { processCpuMs } from '../harness/process-cpu';
import { Program } from '../harness/program';
import { registeredCard } from '../harness/registered-card';
import type { BareRoute } from '../programs/bare-route.program';
import { RunningService } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import { acceptances, LoadGenerator, perSecond, WARM_UP_MS, type Acceptor, type LoadResult } from '../load/load';

const COMMIT_DELAY_MS = 1;
const ROUND_MS = scaled(12_000);
const START_TIMEOUT_MS = 30_000;

interface Contender extends Acceptor {
  readonly pid: number;
  readonly results: LoadResult[];
  /** CPU of the process for each request, in µs. */
  readonly cpu: number[];
}

export const accept = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const configurationPath = folder.configuration();
    const generator = new LoadGenerator();
    const bare = new Program<BareRoute, { readonly port: number }>('bare-route');
    const own = new Program<BareRoute, { readonly port: number }>('bare-route');
    const services: RunningService[] = [];
    const start = async (
      name: 'service' | 'delayed' | 'ungrouped',
      measure: { commitDelayMs?: number; groupJobsMax?: number },
    ): Promise<Contender> => {
      const service = await RunningService.start({ dataDir: folder.folder(name), configurationPath, roles: 'api', ...measure });
      services.push(service);
      const cardRefId = await registeredCard(service.port);
      return { pid: service.pid, ports: [service.port], cardRefId, results: [], cpu: [] };
    };
    try {
      const service = await start('service', {});
      const delayed = await start('delayed', { commitDelayMs: COMMIT_DELAY_MS });
      const ungrouped = await start('ungrouped', { commitDelayMs: COMMIT_DELAY_MS, groupJobsMax: 1 });
      const routeOf = async (program: typeof bare, parts: BareRoute['parts']): Promise<Contender> => {
        const { port } = await program.ask({ parts }, START_TIMEOUT_MS);
        return { pid: program.pid, ports: [port], cardRefId: service.cardRefId, results: [], cpu: [] };
      };
      const bareRoute = await routeOf(bare, 'of the framework');
      const ownRoute = await routeOf(own, 'of the service');
      const contenders = [bareRoute, ownRoute, service, delayed, ungrouped];
      for (const contender of contenders) await acceptances(generator, contender, WARM_UP_MS);
      for (let round = 0; round < ROUNDS; round++) {
        for (const contender of contenders) {
          const before = processCpuMs(contender.pid);
          const result = await acceptances(generator, contender, ROUND_MS);
          contender.results.push(result);
          contender.cpu.push(((processCpuMs(contender.pid) - before) * 1_000) / result.answered);
        }
      }
      const rates = ({ results }: Contender): number[] => results.map(perSecond);
      const p99s = ({ results }: Contender): number[] => results.map(({ p99Ms }) => p99Ms);
      const rate = (name: string, contender: Contender): Figure => ({ name, unit: '/s', rounds: rates(contender) });
      const cpu = (name: string, contender: Contender): Figure => ({ name, unit: 'µs', rounds: contender.cpu });
      const p99 = (name: string, contender: Contender): Figure => ({ name, unit: 'ms', rounds: p99s(contender) });
      return {
        figures: [
          rate("bare route, Express's form parser and Nest's validation pipe", bareRoute),
          rate('bare route, reader, parser, validator and limits of the service', ownRoute),
          rate('accepted recurrent payments', service),
          ratioOf('accepted against the bare route', rates(service), rates(bareRoute), { kind: 'at-least', asked: 0.75, goal: 0.95 }),
          ratioOf("accepted against the route of the service's own parts", rates(service), rates(ownRoute)),
          rate('accepted, 1 ms added to each commit', delayed),
          ratioOf('the same against the bare route', rates(delayed), rates(bareRoute), { kind: 'at-least', asked: 0.6, goal: 0.85 }),
          cpu('CPU of the bare route a request', bareRoute),
          cpu('CPU of the service an acceptance, all threads', service),
          p99('p99 of the bare route', bareRoute),
          p99('p99 of an acceptance', service),
          ratioOf('p99 against the bare route', p99s(service), p99s(bareRoute), { kind: 'at-most', asked: 2 }),
          rate('accepted, a transaction a request, 1 ms added', ungrouped),
          ratioOf('grouped commits against a transaction a request, 1 ms added', rates(delayed), rates(ungrouped), {
            kind: 'at-least',
            asked: 4,
            goal: 7,
          }),
        ],
        notes: [generator.note()],
      };
    } finally {
      await Promise.all([generator.stop(), bare.stop(), own.stop(), ...services.map((service) => service.stop())]);
    }
  });
