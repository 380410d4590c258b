import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '@app/testing';
import { CallbackReceiver } from '../callback-receiver';
import { Merchant } from '../merchant';
import { API, Replicas, WORKER } from '../replicas';
import type { Service } from '../service';
import { until } from '../until';
import { Clients } from './clients';
import { faultsOf } from './compare';
import { crashConfiguration, unreliableAtFirst } from './crash-world';
import { LOAD, SALE_3DS_LEFT_OPEN, type LoadKind } from './load';
import { nothingLeftOn, readLogOn, readModelFaultsOn } from './server-records';

/** Programs of merchants that place one order after the other. */
const PROGRAMS = 4;
const ORDERS_A_PROGRAM_MAX = 500;
/** Before the first kill of a round, between its two kills, and before the two start again: at most so long. */
const LOAD_MS_MAX = 250;
/** An order whose CVV died is ended 60 s after it was accepted (architecture, rule 5). */
const FINAL_WAIT_MS = 100_000;
const DEATH_WAIT_MS = 30_000;
const LOADED_KINDS: readonly LoadKind[] = [...LOAD, SALE_3DS_LEFT_OPEN];
const KINDS_WITH_CVV = LOAD.filter(({ hasCvv, at }) => hasCvv && at === '1001');
/** Right after an acceptance: of an order with CVV nothing is left but what the log says. */
const DIES_WITH_CVV = 'P3:6';

export interface ReplicaRun {
  /** What was wrong in the end. */
  readonly faults: readonly string[];
  readonly orders: number;
  /** Ended as 121. */
  readonly interrupted: number;
}

class ReplicaWorld {
  readonly clients: Clients;
  readonly #random;

  constructor(
    readonly replicas: Replicas,
    readonly receiver: CallbackReceiver,
    cardRefId: string,
    seed: number,
  ) {
    this.#random = seededRandom(seed);
    this.clients = new Clients(replicas, new Merchant(replicas), receiver, cardRefId, this.#random);
  }

  /** From 0 to `max - 1`. */
  chance(max: number): number {
    return Math.floor(this.#random.fraction() * max);
  }

  /** Load of these kinds until `work` is done; what was not answered is repeated, or left to the end of the run. */
  async underLoad(kinds: readonly LoadKind[], bornIn: string, work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const program = async (): Promise<void> => {
      for (let placed = 0; !isDone && placed < ORDERS_A_PROGRAM_MAX; placed++) {
        const kind = kinds[this.chance(kinds.length)];
        if (kind !== undefined) await this.clients.placeAll([kind], bornIn);
      }
    };
    const programs = Promise.all([this.clients.repeatUnanswered(), ...Array.from({ length: PROGRAMS }, program)]);
    // What fails before the work is done is thrown where it is awaited, after it.
    programs.catch(() => undefined);
    try {
      await work();
    } finally {
      isDone = true;
      await programs;
    }
  }
}

/** The two processes of one role. */
type Pair = readonly [Service, Service];

const killRound = async (world: ReplicaWorld, [apis, workers]: readonly [Pair, Pair], bornIn: string): Promise<void> => {
  const victims = [
    { service: apis[world.chance(2)] ?? apis[0], process: API },
    { service: workers[world.chance(2)] ?? workers[0], process: WORKER },
  ];
  if (world.chance(2) === 0) victims.reverse();
  await world.underLoad(LOADED_KINDS, bornIn, async () => {
    for (const { service } of victims) {
      await pause(world.chance(LOAD_MS_MAX));
      await service.kill();
    }
    await pause(world.chance(LOAD_MS_MAX));
    await Promise.all(victims.map(({ service, process }) => service.restart(world.replicas.environmentOf(process))));
  });
};

/**
 * Two `api` and two `worker` over one production set, with load through both `api`: again and again one of each role is killed by SIGKILL and started
 * again while the others go on. Before that an `api` dies over the CVV of an order that it has just accepted.
 */
export const killReplicas = async (rounds: number, seed: number): Promise<ReplicaRun> => {
  const receiver = await CallbackReceiver.start();
  receiver.behave(unreliableAtFirst);
  const replicas = await Replicas.start({ configuration: crashConfiguration([receiver.port]), processes: [API, WORKER, WORKER] });
  try {
    const cardRefId = await new Merchant(replicas).registeredCard();
    await replicas.add({ ...API, FAILPOINT: DIES_WITH_CVV });
    const world = new ReplicaWorld(replicas, receiver, cardRefId, seed);
    const [apis, workers]: [Pair, Pair] = [
      [replicas.at(0), replicas.at(3)],
      [replicas.at(1), replicas.at(2)],
    ];
    await world.underLoad(KINDS_WITH_CVV, 'with CVV', async () => {
      const [, doomed] = apis;
      let isDead = false;
      void doomed.exited().then(() => (isDead = true));
      await until(() => isDead, { what: `the death at ${DIES_WITH_CVV}`, timeoutMs: DEATH_WAIT_MS });
      await doomed.restart(replicas.environmentOf(API));
    });
    for (let round = 1; round <= rounds; round++) await killRound(world, [apis, workers], `round ${round}`);

    const { clients } = world;
    await clients.repeatAll();
    await clients.awaitFinal(FINAL_WAIT_MS);
    await nothingLeftOn(replicas.stores);
    const exits = await Promise.all(replicas.services.map((service) => service.stop()));
    const badExits = exits.filter(({ code }) => code !== 0).map(({ code, signal }) => `a stop ended with code ${code}, signal ${signal}`);
    const ledger = replicas.ledger();
    try {
      const records = { streams: await readLogOn(replicas.stores), orders: clients.orders, receiver, ledger };
      const faults = [...badExits, ...faultsOf(records), ...(await readModelFaultsOn(replicas.stores))];
      const interrupted = clients.orders.filter(({ final }) => final?.code === '121').length;
      return { faults, orders: clients.orders.length, interrupted };
    } finally {
      ledger.close();
    }
  } finally {
    await replicas.dispose();
    await receiver.stop();
  }
};
