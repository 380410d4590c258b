import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '@app/testing';
import { CallbackReceiver } from '../../merchants/callback-receiver';
import { Merchant } from '../../merchants/merchant';
import { API, Replicas, WORKER } from '../../processes/replicas';
import { ServerStores } from '../../processes/server-stores';
import type { Environment, Service } from '../../processes/service';
import { until } from '../../until';
import { Clients } from '../clients/clients';
import { faultsOf } from '../findings/compare';
import { crashConfiguration, unreliableAtFirst } from './crash-world';
import { LOAD, SALE_3DS_LEFT_OPEN, type LoadKind } from '../clients/load';
import { nothingLeftOn, readLogOn, readModelFaultsOn } from '../findings/server-records';

const PROGRAMS = 4;
const ORDERS_A_PROGRAM_MAX = 500;
const LOAD_MS_MAX = 250;
/** An order whose CVV was lost is ended 60 s after it was accepted (architecture, rule 5). */
const FINAL_WAIT_MS = 100_000;
const DEATH_WAIT_MS = 30_000;
const INTERRUPTED = '121';
const LOADED_KINDS: readonly LoadKind[] = [...LOAD, SALE_3DS_LEFT_OPEN];
const KINDS_DONE_SOON = LOAD.filter(({ name, needsPayer }) => !needsPayer && !name.includes('unknown'));
/** Without follow-ups, because accepting one would end the process too. */
const KINDS_WITH_CVV = LOAD.filter(({ hasCvv, at, followUps }) => hasCvv && at === '1001' && followUps.length === 0);
const DIES_WITH_CVV = 'P3:6';

export interface ReplicaRun {
  readonly faults: readonly string[];
  readonly orders: number;
  readonly interrupted: number;
  readonly refusals: number;
}

class ReplicaWorld {
  readonly clients: Clients;
  readonly #random;

  private constructor(
    readonly replicas: Replicas,
    private readonly receiver: CallbackReceiver,
    cardRefId: string,
    seed: number,
  ) {
    this.#random = seededRandom(seed);
    this.clients = new Clients(replicas, new Merchant(replicas), receiver, cardRefId, this.#random);
  }

  static async open(processes: readonly Environment[], seed: number): Promise<ReplicaWorld> {
    const receiver = await CallbackReceiver.start();
    receiver.behave(unreliableAtFirst);
    try {
      const replicas = await Replicas.start({
        configuration: crashConfiguration([receiver.port]),
        processes,
        stores: await ServerStores.start(),
      });
      try {
        return new ReplicaWorld(replicas, receiver, await new Merchant(replicas).registeredCard(), seed);
      } catch (error) {
        await replicas.dispose();
        throw error;
      }
    } catch (error) {
      await receiver.stop();
      throw error;
    }
  }

  chance(max: number): number {
    return Math.floor(this.#random.fraction() * max);
  }

  async underLoad(kinds: readonly LoadKind[], bornIn: string, work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const program = async (): Promise<void> => {
      for (let placed = 0; !isDone && placed < ORDERS_A_PROGRAM_MAX; placed++) {
        const kind = kinds[this.chance(kinds.length)];
        if (kind !== undefined) await this.clients.placeAll([kind], bornIn);
      }
    };
    const programs = Promise.all([this.clients.repeatUnanswered(), ...Array.from({ length: PROGRAMS }, program)]);
    programs.catch(() => undefined);
    try {
      await work();
    } finally {
      isDone = true;
      await programs;
    }
  }

  async settle(): Promise<ReplicaRun> {
    const { clients, replicas, receiver } = this;
    await clients.repeatAll();
    await clients.awaitFinal(FINAL_WAIT_MS);
    await nothingLeftOn(replicas.stores);
    const exits = await Promise.all(replicas.services.map((service) => service.stop()));
    const badExits = exits.filter(({ code }) => code !== 0).map(({ code, signal }) => `a stop ended with code ${code}, signal ${signal}`);
    const ledger = replicas.ledger();
    try {
      const records = { streams: await readLogOn(replicas.stores), orders: clients.orders, receiver, ledger };
      return {
        faults: [...badExits, ...faultsOf(records), ...(await readModelFaultsOn(replicas.stores))],
        orders: clients.orders.length,
        interrupted: clients.orders.filter(({ final }) => final?.code === INTERRUPTED).length,
        refusals: clients.orders.reduce((sum, order) => sum + order.refusals, 0),
      };
    } finally {
      ledger.close();
    }
  }

  async dispose(): Promise<void> {
    await this.replicas.dispose();
    await this.receiver.stop();
  }
}

interface Replica {
  readonly service: Service;
  readonly environment: Environment;
}

type Pair = readonly [Replica, Replica];

const dieWithCvv = async (world: ReplicaWorld, doomed: Service): Promise<void> => {
  await world.underLoad(KINDS_WITH_CVV, 'with CVV', async () => {
    let isDead = false;
    void doomed.exited().then(() => (isDead = true));
    await until(() => isDead, { what: `the death at ${DIES_WITH_CVV}`, timeoutMs: DEATH_WAIT_MS });
    await doomed.restart(world.replicas.environmentOf(API));
  });
};

const killRound = async (world: ReplicaWorld, apis: Pair, workers: Pair, bornIn: string): Promise<void> => {
  const victims = [apis[world.chance(2)] ?? apis[0], workers[world.chance(2)] ?? workers[0]];
  if (world.chance(2) === 0) victims.reverse();
  await world.underLoad(LOADED_KINDS, bornIn, async () => {
    for (const { service } of victims) {
      await pause(world.chance(LOAD_MS_MAX));
      await service.kill();
    }
    await pause(world.chance(LOAD_MS_MAX));
    await Promise.all(victims.map(({ service, environment }) => service.restart(world.replicas.environmentOf(environment))));
  });
};

/**
 * Repeatedly kills one `api` and one `worker` of two each, under load. First an `api` dies with the CVV of an order that it just accepted.
 */
export const killReplicas = async (
  rounds: number,
  seed: number,
  workers: readonly [Environment, Environment] = [WORKER, WORKER],
): Promise<ReplicaRun> => {
  const world = await ReplicaWorld.open([API, ...workers], seed);
  try {
    const { replicas } = world;
    await replicas.add({ ...API, FAILPOINT: DIES_WITH_CVV });
    const [api, doomed] = [replicas.at(0), replicas.at(3)].map((service) => ({ service, environment: API })) as [Replica, Replica];
    const working = workers.map((environment, at) => ({ service: replicas.at(at + 1), environment })) as [Replica, Replica];
    await dieWithCvv(world, doomed.service);
    for (let round = 1; round <= rounds; round++) await killRound(world, [api, doomed], working, `round ${round}`);
    return await world.settle();
  } finally {
    await world.dispose();
  }
};

/** Takes the log away while new orders wait for their answer, then brings it back unchanged. */
export const loseLog = async (seed: number): Promise<ReplicaRun> => {
  const world = await ReplicaWorld.open([API, WORKER], seed);
  try {
    const { wire } = world.replicas.stores;
    if (wire === undefined) throw new Error('only a wire server can be killed');
    await world.underLoad(KINDS_DONE_SOON, 'the log goes', async () => {
      await pause(world.chance(LOAD_MS_MAX));
      await wire.kill();
      await world.clients.placeAll(KINDS_DONE_SOON, 'the log is away');
      await wire.start();
    });
    return await world.settle();
  } finally {
    await world.dispose();
  }
};
