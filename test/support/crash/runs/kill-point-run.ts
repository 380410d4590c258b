import type { ClientOrder } from '../clients/client-order';
import { CrashWorld, type Template } from './crash-world';
import type { KillPointCase } from './kill-points';
import { LOAD } from '../clients/load';
import { readLogIn, told, type LoggedEvent } from '../findings/whole-log';

const WAVES_MAX = 20;

const eventsOf = async (dataDir: string, { clientOrderId }: ClientOrder): Promise<readonly LoggedEvent[]> => {
  for (const events of (await readLogIn(dataDir)).values()) {
    const [first] = events;
    if (first?.event.type === 'OrderAccepted' && (first.event.data as { clientOrderId: string }).clientOrderId === clientOrderId)
      return events;
  }
  return [];
};

/** Runs one order by itself, so that its path to the kill point is known. */
const dieOverOne = async (world: CrashWorld, { point, lone }: KillPointCase, bornIn: string): Promise<ClientOrder> => {
  await world.clients.placeAll([lone], bornIn);
  await world.death(point);
  const order = world.clients.orders.at(-1);
  if (order === undefined) throw new Error('no order was placed');
  return order;
};

const dieUnderLoad = async (world: CrashWorld, { point }: KillPointCase, bornIn: string): Promise<void> => {
  await world.clients.repeatUnanswered();
  for (let wave = 1; world.isAlive && wave <= WAVES_MAX; wave++) await world.clients.placeAll(LOAD, `${bornIn} wave ${wave}`);
  await world.death(point);
};

const standsAfterKill = async (world: CrashWorld, order: ClientOrder, { point, isAccepted }: KillPointCase): Promise<string[]> => {
  const events = await eventsOf(world.service.dataDir, order);
  const isRight = events.length > 0 === isAccepted;
  return isRight ? [] : [`${order.clientOrderId}: killed at ${point}, it must ${isAccepted ? '' : 'not '}be in the log${told(events)}`];
};

const endsAsItMust = async (world: CrashWorld, order: ClientOrder, { point, end, lone }: KillPointCase): Promise<string[]> => {
  const { status, code } = order.final ?? {};
  const isInterrupted = status === 'error' && code === '121';
  const isGatesWord = status === lone.gateWord.status;
  const isRight = { interrupted: isInterrupted, 'as the gate says': isGatesWord, either: isInterrupted || isGatesWord }[end];
  if (isRight) return [];
  const events = await eventsOf(world.service.dataDir, order);
  return [`${order.clientOrderId}: killed at ${point} it ends ${status} ${code}, expected ${end}${told(events)}`];
};

/**
 * Kills a service at one point repeatedly on the same data: over a single order, in recovery, and under load.
 * @returns the faults found (safety, B8 and section 2.2)
 */
export const runKillPoint = async (template: Template, killPoint: KillPointCase, times: number, seed: number): Promise<string[]> => {
  const { point, loneReach, reachesMax } = killPoint;
  const world = await CrashWorld.open(template, seed, { FAILPOINT: `${point}:${loneReach}` });
  try {
    const lone = await dieOverOne(world, killPoint, `${point} time 1`);
    const faults = await standsAfterKill(world, lone, killPoint);
    for (let time = 2; time <= times; time++) {
      // If the process dies while starting, it died in recovery, which counts.
      const isReady = await world.restart({ FAILPOINT: `${point}:${world.chance(reachesMax)}` });
      if (isReady) await dieUnderLoad(world, killPoint, `${point} time ${time}`);
    }
    await world.restart();
    await world.converge();
    faults.push(...(await endsAsItMust(world, lone, killPoint)));
    return [...faults, ...(await world.faults())];
  } finally {
    await world.dispose();
  }
};
