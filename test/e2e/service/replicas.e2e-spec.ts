import { wholeNumber } from '@app/testing';
import { killReplicas } from '../../support/crash/runs/replica-run';

const SEED = wholeNumber('REPLICA_SEED', 20_241);
/** 3 in each run, 20 on demand. */
const ROUNDS = wholeNumber('REPLICA_ROUNDS', 3);
const TIMEOUT_MS = 240_000;
const ROUND_TIMEOUT_MS = 30_000;
const ORDERS_A_ROUND_MIN = 10;

it(
  `two api and two worker on EventStoreDB and PostgreSQL, one of each killed under load ${ROUNDS} times (REPLICA_SEED=${SEED}): every acknowledged order is finished once`,
  async () => {
    const { faults, orders, interrupted } = await killReplicas(ROUNDS, SEED);
    expect(faults).toStrictEqual([]);
    expect(orders).toBeGreaterThan(ROUNDS * ORDERS_A_ROUND_MIN);
    // At least the order whose CVV was lost with the process that had accepted it.
    expect(interrupted).toBeGreaterThan(0);
  },
  TIMEOUT_MS + ROUNDS * ROUND_TIMEOUT_MS,
);
