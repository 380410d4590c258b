import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { built } from '../harness/built';
import { ratioOf, type Findings } from '../harness/figure';
import { quantile } from '../harness/median';
import { Program } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { memberOf, postForm, saleFields } from '../harness/sale';
import { RunningService } from '../harness/service';
import { inWorkFolder, type WorkFolder } from '../harness/work-folder';
import type { TimedReceiverAnswer, TimedReceiverQuestion } from '../programs/timed-receiver.program';

const { Secret } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const HEALTHY = 9;
/** Callbacks of the healthy merchants in a round (safety, B18). */
const CALLBACKS = 504;
/** One order of every merchant in this time: far below what the service carries, so that a delay is the delivery's and not a queue's before it. */
const TURN_MS = 90;
/** Callbacks of the merchant that hangs, before the clock starts: more than its lane holds. */
const HANGING_BEFORE = 100;
/** Deliveries of one merchant under way at once. */
const LANE = 40;
const TIMEOUT_MS = 60_000;

interface BenchMerchant {
  readonly login: string;
  readonly endpointId: string;
  readonly controlKey: string;
}

/** The last of them is the one that may hang. */
const MERCHANTS: readonly BenchMerchant[] = Array.from({ length: HEALTHY + 1 }, (_, index) => ({
  login: `merchant${index}`,
  endpointId: String(1_001 + index),
  controlKey: `${index}`.padStart(32, 'a0b1'),
}));

const configuration = (folder: WorkFolder, ports: readonly number[]): string => {
  const path = join(folder.path, 'ten-merchants.json');
  const merchants = MERCHANTS.map(({ login, endpointId, controlKey }) => ({
    login,
    controlKey,
    endpoints: [{ id: endpointId, currency: 'USD', gates: ['sim-a'] }],
  }));
  writeFileSync(
    path,
    JSON.stringify({
      egress: { allow: ['127.0.0.1'], ports },
      merchants,
      gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'] }],
    }),
  );
  return path;
};

const now = (): number => performance.timeOrigin + performance.now();

const accepted = async (port: number, merchant: BenchMerchant, clientOrderId: string, callbackUrl: string): Promise<void> => {
  const { endpointId, controlKey } = merchant;
  const fields = saleFields(clientOrderId, { endpointId, key: new Secret(controlKey) }, { server_callback_url: callbackUrl });
  memberOf(await postForm(port, 'sale', endpointId, fields), 'paynet-order-id');
};

type Receiver = Program<TimedReceiverQuestion, TimedReceiverAnswer>;
interface Ports {
  readonly prompt: number;
  readonly silent: number;
}

/** From the acceptance of a healthy merchant's order to its callback's arrival, p99 in ms, with the tenth merchant healthy or hanging. */
const round = async (folder: WorkFolder, name: string, receiver: Receiver, ports: Ports, isHanging: boolean): Promise<number> => {
  await receiver.ask({ kind: 'forget' }, TIMEOUT_MS);
  const service = await RunningService.start({
    dataDir: folder.folder(name),
    configurationPath: configuration(folder, [ports.prompt, ports.silent]),
    roles: 'api,worker',
    // Each failed call is a warning, and there are hundreds on purpose.
    logLevel: 'error',
  });
  try {
    const tenth = MERCHANTS.at(-1);
    if (tenth === undefined) throw new Error('there is no tenth merchant');
    const urlOf = (merchant: BenchMerchant, path: string): string =>
      `http://127.0.0.1:${merchant === tenth && isHanging ? ports.silent : ports.prompt}${path}`;
    const before = Array.from({ length: HANGING_BEFORE }, (_, index) => `/before/${index}`);
    await Promise.all(before.map((path, index) => accepted(service.port, tenth, `${name}-before-${index}`, urlOf(tenth, path))));
    if (isHanging) await receiver.ask({ kind: 'hanging', count: LANE }, TIMEOUT_MS);
    else await receiver.ask({ kind: 'arrivals', count: HANGING_BEFORE }, TIMEOUT_MS);

    const sentAt = new Map<string, number>();
    const sending: Promise<void>[] = [];
    for (let turn = 0; turn < CALLBACKS / HEALTHY; turn++) {
      for (const merchant of MERCHANTS) {
        const path = `/${merchant.login}/${turn}`;
        if (merchant !== tenth) sentAt.set(path, now());
        sending.push(accepted(service.port, merchant, `${name}-${merchant.login}-${turn}`, urlOf(merchant, path)));
      }
      await delay(TURN_MS);
    }
    await Promise.all(sending);
    const awaited = isHanging ? CALLBACKS : CALLBACKS + CALLBACKS / HEALTHY + HANGING_BEFORE;
    const answer = await receiver.ask({ kind: 'arrivals', count: awaited }, TIMEOUT_MS);
    if (answer.kind !== 'arrivals') throw new Error('the receiver told no arrivals');
    const delays = answer.at.flatMap(([path, at]) => {
      const from = sentAt.get(path);
      return from === undefined ? [] : [at - from];
    });
    if (delays.length !== CALLBACKS) throw new Error(`${delays.length} of ${CALLBACKS} callbacks came`);
    return quantile(delays, 0.99);
  } finally {
    await service.stop();
  }
};

/** Measures one merchant whose server hangs on every call, against nine that answer (safety, B18). */
export const deliveries = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const receiver: Receiver = new Program('timed-receiver');
    try {
      const ports = await receiver.ask({ kind: 'listen' }, TIMEOUT_MS);
      if (ports.kind !== 'ports') throw new Error('the receiver told no ports');
      const well: number[] = [];
      const beside: number[] = [];
      for (let number = 0; number < ROUNDS; number++) {
        well.push(await round(folder, `well-${number}`, receiver, ports, false));
        beside.push(await round(folder, `hanging-${number}`, receiver, ports, true));
      }
      return {
        figures: [
          { name: 'p99 of a callback, ten merchants well', unit: 'ms', rounds: well },
          { name: 'p99 of a callback of nine, the tenth hangs', unit: 'ms', rounds: beside },
          ratioOf('callbacks beside one merchant that hangs against none', beside, well, { kind: 'at-most', asked: 2 }),
        ],
        notes: [
          `From the sending of a sale to the arrival of its callback, ${CALLBACKS} orders of nine merchants a round, one of each every ${TURN_MS} ms, on the embedded stores with both roles in one process. The tenth merchant has as many, and ${HANGING_BEFORE} before the clock starts; where it hangs, its server takes every call and answers none, and at least ${LANE} of its calls are under way when the clock starts.`,
        ],
      };
    } finally {
      await receiver.stop();
    }
  });
