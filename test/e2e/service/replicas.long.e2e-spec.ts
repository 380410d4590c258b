import { wholeNumber } from '@app/testing';
import { killReplicas } from '../../support/crash/runs/replica-run';
import { WORKER } from '../../support/processes/replicas';

const SEED = wholeNumber('REPLICA_SEED', 20_241);
/** 3 in each run, 20 on demand. */
const ROUNDS = wholeNumber('REPLICA_ROUNDS', 3);
const TIMEOUT_MS = 240_000;
const ROUND_TIMEOUT_MS = 30_000;
const ORDERS_A_ROUND_MIN = 10;
const halfOf = (number: number) => ({ ...WORKER, READ_MODEL_PARTITION: `${number}/2` });

it.each([
  ['of which one projects', [WORKER, WORKER]],
  ['each of which projects a half of the streams', [halfOf(1), halfOf(2)]],
] as const)(
  `two api and two worker %s complete every acknowledged order once if one of each is killed under load ${ROUNDS} times (REPLICA_SEED=${SEED})`,
  async (_, workers) => {
    const { faults, orders, interrupted } = await killReplicas(ROUNDS, SEED, workers);
    expect(faults).toStrictEqual([]);
    expect(orders).toBeGreaterThan(ROUNDS * ORDERS_A_ROUND_MIN);
    expect(interrupted).toBeGreaterThan(0);
  },
  TIMEOUT_MS + ROUNDS * ROUND_TIMEOUT_MS,
);
