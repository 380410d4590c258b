import { wholeNumber } from '@app/testing';
import { TwoTierWorld } from '../../support/crash/runs/two-tier-run';

const SEED = wholeNumber('CRASH_SEED', 20_240);
const KILLS = wholeNumber('TIER_KILLS', 8);
const START_TIMEOUT_MS = 120_000;
const KILL_TIMEOUT_MS = 20_000;
const CONVERGE_TIMEOUT_MS = 300_000;

let world: TwoTierWorld;
beforeAll(async () => {
  world = await TwoTierWorld.start(SEED);
}, START_TIMEOUT_MS);
afterAll(() => world?.dispose());

it(
  `accepted orders end with at most one charge and consistent logs if two tiers are killed in turn ${KILLS} times (CRASH_SEED=${SEED})`,
  async () => {
    expect(await world.killInTurn(KILLS)).toStrictEqual([]);
    await world.converge();
    expect(await world.faults()).toStrictEqual([]);
    expect(world.orders.length).toBeGreaterThan(KILLS);
  },
  CONVERGE_TIMEOUT_MS + KILLS * KILL_TIMEOUT_MS,
);
