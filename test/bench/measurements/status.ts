import { ratioOf, ROUNDS, scaled, type Figure, type Findings } from '../harness/figure';
import { RunningService, type ServiceOptions } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import { LoadGenerator } from '../load/load';
import { fillLog } from '../load/filled-log';

const FEW_EVENTS = 1_000;
const MANY_EVENTS = scaled(1_000_000);
/** The same number for either store, so that both cache the same amount. */
const ORDERS_ASKED = 200;
const STATUSES = scaled(4_000);
const STARTS_PER_ROUND = 2;
const FIRST_START_TIMEOUT_MS = 600_000;

export const status = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const configurationPath = folder.configuration();
    const contender = async (name: string, events: number) => {
      const dataDir = folder.folder(name);
      const filled = await fillLog(dataDir, events, ORDERS_ASKED);
      const options: ServiceOptions = { dataDir, configurationPath, roles: 'api,worker', readyTimeoutMs: FIRST_START_TIMEOUT_MS };
      // The first start builds the read models, so the next one is measured.
      await (await RunningService.start(options)).stop();
      return { options, filled, startMs: [] as number[], statusMs: [] as number[] };
    };
    const few = await contender('few', FEW_EVENTS);
    const many = await contender('many', MANY_EVENTS);
    for (let start = 0; start < ROUNDS * STARTS_PER_ROUND; start++) {
      for (const { options, startMs } of [few, many]) {
        const service = await RunningService.start(options);
        startMs.push(service.startMs);
        await service.stop();
      }
    }
    const generator = new LoadGenerator();
    const services = await Promise.all([few, many].map(({ options }) => RunningService.start(options)));
    try {
      for (let round = -1; round < ROUNDS; round++) {
        for (const [index, { filled, statusMs }] of [few, many].entries()) {
          const port = services[index]?.port ?? 0;
          const { medianMs } = await generator.run({
            ports: [port],
            connections: 1,
            requests: { kind: 'status', orders: filled.sample },
            prepare: STATUSES,
          });
          if (round >= 0) statusMs.push(medianMs);
        }
      }
    } finally {
      await Promise.all([generator.stop(), ...services.map((service) => service.stop())]);
    }
    const time = (name: string, rounds: readonly number[]): Figure => ({ name, unit: 'ms', rounds });
    return {
      figures: [
        time(`status with ${FEW_EVENTS.toLocaleString('en')} events`, few.statusMs),
        time(`status with ${MANY_EVENTS.toLocaleString('en')} events`, many.statusMs),
        ratioOf('status with many events against few', many.statusMs, few.statusMs, { kind: 'at-most', asked: 1.25 }),
        time(`start to ready with ${FEW_EVENTS.toLocaleString('en')} events`, few.startMs),
        time(`start to ready with ${MANY_EVENTS.toLocaleString('en')} events`, many.startMs),
        {
          name: 'start to ready, longer with many events by',
          unit: 'ms',
          rounds: many.startMs.map((ms, start) => ms - (few.startMs[start] ?? Number.NaN)),
          bound: { kind: 'at-most', asked: 250 },
        },
      ],
    };
  });
