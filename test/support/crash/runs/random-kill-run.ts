import { setTimeout as pause } from 'node:timers/promises';
import { CrashWorld, type Template } from './crash-world';
import { LOAD } from '../clients/load';
import { integrityFaults } from '../findings/sqlite-files';

/** Programs of merchants that place one order after the other. */
const PROGRAMS = 6;
const LOAD_MS_MAX = 200;
const ORDERS_A_PROGRAM_MAX = 200;
/** How far beyond a whole start a kill may fall, so that it hits recovery as well as loading. */
const START_SHARE_MAX = 1.3;

/** Defers a failure that comes before the kill until the work is awaited after it. */
const noticedLater = (work: Promise<unknown>): void => void work.catch(() => undefined);

/** Places orders one after the other until the service is gone. */
const program = async (world: CrashWorld, bornIn: string): Promise<void> => {
  for (let placed = 0; world.isAlive && placed < ORDERS_A_PROGRAM_MAX; placed++) {
    const kind = LOAD[world.chance(LOAD.length) - 1];
    if (kind !== undefined) await world.clients.placeAll([kind], bornIn);
  }
};

/** Repeats what was not answered and places new orders, until the service is gone. */
export const loadUntilDeath = (world: CrashWorld, bornIn: string): Promise<unknown> => {
  const working = Promise.all([world.clients.repeatUnanswered(), ...Array.from({ length: PROGRAMS }, () => program(world, bornIn))]);
  noticedLater(working);
  return working;
};

/**
 * Kills by SIGKILL at random times under load, again and again on the same data; what was not answered is repeated under the next start's load.
 * SQLite's own check runs after each kill.
 * @returns the faults found (safety, B5)
 */
export const killUnderLoad = async (
  template: Template,
  kills: number,
  seed: number,
): Promise<{ readonly faults: string[]; readonly orders: number; readonly followUps: number }> => {
  const world = await CrashWorld.open(template, seed);
  try {
    const faults: string[] = [];
    for (let kill = 1; kill <= kills; kill++) {
      const bornIn = `kill ${kill}`;
      if (kill > 1) await world.restart();
      const working = loadUntilDeath(world, bornIn);
      await pause(world.chance(LOAD_MS_MAX));
      await world.kill();
      await working;
      faults.push(...(await integrityFaults(world.service.dataDir)).map((fault) => `${bornIn}: ${fault}`));
    }
    await world.restart();
    await world.converge();
    const { orders } = world.clients;
    const followUps = orders.flatMap((order) => order.followUps.filter(({ isAcknowledged }) => isAcknowledged)).length;
    return { faults: [...faults, ...(await world.faults())], orders: orders.length, followUps };
  } finally {
    await world.dispose();
  }
};

/**
 * Kills by SIGKILL at a random moment of the start, of loading, recovery or the first work, again and again, with work of every kind open.
 * @returns the faults found (safety, section 2.2)
 */
export const killInStart = async (template: Template, kills: number, seed: number): Promise<string[]> => {
  const world = await CrashWorld.open(template, seed);
  try {
    // Timed on a start of the same kind.
    const startedAt = performance.now();
    await world.restart();
    const startMs = performance.now() - startedAt;
    await world.clients.placeAll(LOAD, 'before the kills');
    await world.kill();
    const faults: string[] = [];
    for (let kill = 1; kill <= kills; kill++) {
      const starting = world.restart();
      noticedLater(starting);
      await pause(world.chance(Math.ceil(startMs * START_SHARE_MAX)));
      await world.kill();
      await starting;
      faults.push(...(await integrityFaults(world.service.dataDir)).map((fault) => `kill ${kill} in the start: ${fault}`));
    }
    await world.restart();
    await world.converge();
    return [...faults, ...(await world.faults())];
  } finally {
    await world.dispose();
  }
};
