import type { Figure, Findings } from '../harness/figure';
import { quantile } from '../harness/median';
import { RunningMerchantServer } from '../harness/merchant-server';
import { processCpuMs } from '../harness/process-cpu';
import { ROUNDS } from '../harness/rounds';
import { freePort, type RunningProgram } from '../harness/running-program';
import { RunningService } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import { DeviceFleet, type DeviceSales, type DeviceSalesResult } from '../load/device-sales';
import { perSecond } from '../load/load';

/** Devices with a sale under way, and how long each waits before it asks for the state again. */
type Cadence = Pick<DeviceSales, 'devices' | 'askAgainMs'>;

/** About one status request for each sale, like an app, which asks every 3 to 5 s. */
const APPS: Cadence = { devices: 256, askAgainMs: 500 };
/** So often that the latencies show the gateway rather than the waiting. */
const IMPATIENT: Cadence = { devices: 64, askAgainMs: 100 };
const SALES = 2_500;
const WARM_UP_SALES = 1_000;
const MICROSECONDS_PER_MS = 1_000;

interface Round {
  readonly result: DeviceSalesResult;
  /** CPU of gateway and merchant server for each sale, in µs; undefined where the system does not report it. */
  readonly cpu: readonly (number | undefined)[];
}

/** Measures sales of the device interface from perform to APPROVED, with gateway and merchant server as two programs. */
export const device = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const fleet = new DeviceFleet();
    const programs: RunningProgram[] = [];
    try {
      const merchantPort = await freePort();
      const merchant = await RunningMerchantServer.start({ dataDir: folder.folder('merchant-server'), port: merchantPort });
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
        const cpu = programs.map(({ pid }, index) => cpuBetween(before[index], processCpuMs(pid)));
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
      const cpu = (name: string, index: number): readonly Figure[] => {
        const measured = rounds.flatMap((round) => round.cpu[index] ?? []);
        return measured.length === 0 ? [] : [{ name, unit: 'µs', rounds: measured }];
      };
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
          ...cpu('CPU of the gateway a sale, with the opening of its invoice', 0),
          ...cpu('CPU of the merchant server a sale, the same', 1),
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
          `${SALES.toLocaleString('en')} sales a round over ${APPS.devices} connections, each with one sale under way and the next as soon as that is seen approved; every sale by a device, a consumer and a card of its own, a round before the first is not counted. Access tokens and invoices are had from the merchant server before the clock starts, and the performs written. The whole flow is from the perform sent until status says APPROVED: perform, the check at the merchant server, the gate, the mapping of the card, its notification at the merchant server. Status is asked for ${APPS.askAgainMs} ms after each answer, ${asked(apps)} times a sale; an app asks every 3 to 5 s, so about once.`,
          `Beside it, in turn, the same over ${IMPATIENT.devices} connections that ask every ${IMPATIENT.askAgainMs} ms, ${asked(impatient)} times a sale: more questions than apps have, and latencies of which less is waiting.`,
          `Gateway (both roles) and merchant server run in processes of their own on the embedded stores, each append synced, on the same machine as the devices, a process that took ${generator.toFixed(0)} µs of CPU a sale.`,
          'Why what is asked is missed: a sale takes 6 ms of the processors in gateway, merchant server and devices, so that two cores give 330 a second and the machine has nothing left beside. In the gateway four requests are answered or made for each: perform, status, the check and the notification at the merchant server. By a profile of its main thread 8 % goes to the collector, 6 % to writing answers, 6 % to the client that calls the merchant server, 5 % to messages to the other threads, 4 % to ciphers; nothing else has a 25th. Of the merchant server a fifth is the wallet that keeps the card, a sixth the answer to the check.',
          'Tried for it, in turn, three to nine rounds each: a write-ahead log of 16 MiB before it is carried into the file (kept for the appends; here within the noise), 64 MiB of room for what is new in the heap (within the noise), one thread for the collector beside the main one and not four (nothing), messages of up to 64 appends to the thread that writes them and not 16 (15 % less of the processors in the median of nine rounds; not kept, for 64 writers then append a fifth less), messages of up to 64 while another is under way (some 10 % less in three rounds; not kept, for 64 writers append 6 % less).',
        ],
      };
    } finally {
      await Promise.all([fleet.stop(), ...programs.map((program) => program.stop())]);
    }
  });

const perSale = (ofRounds: readonly number[]): number => ofRounds.reduce((sum, value) => sum + value, 0) / (ofRounds.length * SALES);

const cpuBetween = (before: number | undefined, after: number | undefined): number | undefined =>
  before === undefined || after === undefined ? undefined : ((after - before) * MICROSECONDS_PER_MS) / SALES;
