import { quantile, ROUNDS, scaled, type Figure, type Findings } from '../harness/figure';
import { RunningMerchantServer } from '../harness/merchant-server';
import { processCpuMs } from '../harness/process-cpu';
import { freePort, type RunningProgram } from '../harness/running-program';
import { RunningService } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import { DeviceFleet, type DeviceSales, type DeviceSalesResult } from '../load/device-sales';
import { perSecond } from '../load/load';

type Cadence = Pick<DeviceSales, 'devices' | 'askAgainMs'>;

/** About one status request for each sale, like an app, which asks every 3 to 5 s. */
const APPS: Cadence = { devices: 256, askAgainMs: 500 };
/** So often that the latencies show the gateway rather than the waiting. */
const IMPATIENT: Cadence = { devices: 64, askAgainMs: 100 };
const SALES = scaled(2_500);
const WARM_UP_SALES = scaled(1_000);
const MICROSECONDS_PER_MS = 1_000;

interface Round {
  readonly result: DeviceSalesResult;
  /** CPU of gateway and merchant server for each sale, in µs. */
  readonly cpu: readonly number[];
}

export const device = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const fleet = new DeviceFleet();
    const programs: RunningProgram[] = [];
    try {
      const merchantPort = await freePort();
      const merchant = await RunningMerchantServer.start(folder.folder('merchant-server'), merchantPort);
      programs.push(merchant);
      const configurationPath = folder.configuration({ merchantPort });
      const gateway = await RunningService.start({ dataDir: folder.folder('gateway'), configurationPath, roles: 'api,worker' });
      programs.unshift(gateway);
      const sell = (sales: number, cadence: Cadence): Promise<DeviceSalesResult> =>
        fleet.sell({ gatewayPort: gateway.port, merchantPort, sales, ...cadence });
      await sell(WARM_UP_SALES, APPS);
      const rounds: Round[] = [];
      const impatient: DeviceSalesResult[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const before = programs.map(({ pid }) => processCpuMs(pid));
        const result = await sell(SALES, APPS);
        const cpu = programs.map(({ pid }, index) => ((processCpuMs(pid) - (before[index] ?? Number.NaN)) * MICROSECONDS_PER_MS) / SALES);
        rounds.push({ result, cpu });
        impatient.push(await sell(SALES, IMPATIENT));
      }
      const apps = rounds.map(({ result }) => result);
      const rates = (results: readonly DeviceSalesResult[]): number[] =>
        results.map(({ elapsedMs }) => perSecond({ answered: SALES, elapsedMs }));
      const ms = (name: string, part: 'flowMs' | 'performMs', fraction: number): Figure => ({
        name,
        unit: 'ms',
        rounds: impatient.map((result) => quantile(result[part], fraction)),
      });
      const cpu = (name: string, index: number): Figure => ({
        name,
        unit: 'µs',
        rounds: rounds.map((round) => round.cpu[index] ?? Number.NaN),
      });
      const asked = (results: readonly DeviceSalesResult[]): string => perSale(results.map(({ statuses }) => statuses)).toFixed(1);
      const generator = perSale(apps.map(({ generatorCpuMs }) => generatorCpuMs * MICROSECONDS_PER_MS));
      return {
        figures: [
          {
            name: 'device sales, perform to APPROVED',
            unit: '/s',
            rounds: rates(apps),
            bound: { kind: 'at-least', asked: 400, goal: 600 },
          },
          cpu('CPU of the gateway a sale, with the opening of its invoice', 0),
          cpu('CPU of the merchant server a sale, the same', 1),
          {
            name: `device sales, ${IMPATIENT.devices} devices that ask every ${IMPATIENT.askAgainMs} ms`,
            unit: '/s',
            rounds: rates(impatient),
          },
          ms('p50 of their whole flow', 'flowMs', 0.5),
          ms('p99 of their whole flow', 'flowMs', 0.99),
          ms('p50 of their perform', 'performMs', 0.5),
          ms('p99 of their perform', 'performMs', 0.99),
        ],
        notes: [
          `A sale was asked about ${asked(apps)} times, of the devices that ask more often ${asked(impatient)} times. The devices, a process of their own, took ${generator.toFixed(0)} µs of CPU a sale.`,
        ],
      };
    } finally {
      await Promise.all([fleet.stop(), ...programs.map((program) => program.stop())]);
    }
  });

const perSale = (ofRounds: readonly number[]): number => ofRounds.reduce((sum, value) => sum + value, 0) / (ofRounds.length * SALES);
