import { setTimeout as pause } from 'node:timers/promises';
import { LOAD } from '../clients/load';
import { integrityFaults, withCopy } from '../findings/sqlite-files';
import { readLogIn } from '../findings/whole-log';
import { PowerSupply } from '../power/unsynced';
import { CrashWorld, type Template } from './crash-world';

const PROGRAMS = 6;
const ORDERS_A_PROGRAM_MAX = 200;
const LOAD_MS_MAX = 300;

const program = async (world: CrashWorld, bornIn: string): Promise<void> => {
  for (let placed = 0; world.isAlive && placed < ORDERS_A_PROGRAM_MAX; placed++) {
    const kind = LOAD[world.chance(LOAD.length) - 1];
    if (kind !== undefined) await world.clients.placeAll([kind], bornIn);
  }
};

const loadUntilDeath = (world: CrashWorld, bornIn: string): Promise<unknown> => {
  const working = Promise.all([world.clients.repeatUnanswered(), ...Array.from({ length: PROGRAMS }, () => program(world, bornIn))]);
  void working.catch(() => undefined);
  return working;
};

/** Orders that a client has an answer for, but whose stream is not in the log. */
const goneOrders = async ({ service, clients }: CrashWorld): Promise<string[]> => {
  const streams = await withCopy(service.dataDir, readLogIn);
  const kept = new Set<string>();
  for (const events of streams.values())
    for (const { event, stored } of events)
      if (event.type === 'OrderAccepted') kept.add((JSON.parse(stored.data) as { readonly orderId: string }).orderId);
  return clients.orders.filter(({ isAcknowledged, orderIds }) => isAcknowledged && ![...orderIds].every((id) => kept.has(id))).map(({ clientOrderId }) => `${clientOrderId} was acknowledged and is gone`); // prettier-ignore
};

const cutOnce = async (world: CrashWorld, power: PowerSupply, cut: number): Promise<readonly string[]> => {
  const { dataDir } = world.service;
  await world.restart(power.next(dataDir));
  const working = loadUntilDeath(world, `cut ${cut}`);
  await pause(world.chance(LOAD_MS_MAX));
  await world.kill();
  await working;
  power.lose(dataDir, world.random);
  return [...(await integrityFaults(dataDir)), ...(await goneOrders(world))].map((fault) => `cut ${cut}: ${fault}`);
};

/**
 * Cuts the power under load at random times on the same data: unsynced writes are lost.
 * @returns the faults found (safety, B6), and the number of lost changes
 */
export const cutPower = async (
  template: Template,
  cuts: number,
  seed: number,
): Promise<{ readonly faults: readonly string[]; readonly orders: number; readonly lost: number }> => {
  const power = new PowerSupply('honest');
  const world = await CrashWorld.open(template, seed);
  try {
    const faults: string[] = [];
    for (let cut = 1; cut <= cuts; cut++) faults.push(...(await cutOnce(world, power, cut)));
    await world.restart();
    await world.converge();
    return { faults: [...faults, ...(await world.faults())], orders: world.clients.orders.length, lost: power.lost };
  } finally {
    await world.dispose();
    power.remove();
  }
};

export const cutPowerOfALiar = async (template: Template, cuts: number, seed: number): Promise<readonly string[]> => {
  const power = new PowerSupply('liar');
  const world = await CrashWorld.open(template, seed);
  try {
    for (let cut = 1; cut <= cuts; cut++) {
      const faults = await cutOnce(world, power, cut);
      if (faults.length > 0) return faults;
    }
    return [];
  } finally {
    await world.dispose();
    power.remove();
  }
};
