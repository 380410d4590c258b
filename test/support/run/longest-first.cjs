const { existsSync } = require('node:fs');
const { join, relative } = require('node:path');
const TestSequencer = require('@jest/test-sequencer').default;

const ROOT = join(__dirname, '..', '..', '..');

/** Seconds per file on two cores, for a machine without recorded durations. */
const SECONDS = {
  'test/e2e/service/replicas.long.e2e-spec.ts': 90,
  'test/e2e/crash/crash-kill-points.long.e2e-spec.ts': 72,
  'test/e2e/service/server-faults.long.e2e-spec.ts': 61,
  'test/contract/eventstoredb/append.contract-spec.ts': 20,
  'test/e2e/service/operations.long.e2e-spec.ts': 38,
  'test/contract/wire-server.long.contract-spec.ts': 37,
  'test/contract/copy-log.long.contract-spec.ts': 36,
  'test/e2e/service/copy-log.long.e2e-spec.ts': 35,
  'test/e2e/service/servers.long.e2e-spec.ts': 34,
  'test/e2e/orders/cascade.long.e2e-spec.ts': 35,
  'test/e2e/crash/canary.long.e2e-spec.ts': 31,
  'test/contract/event-store.contract-spec.ts': 37,
  'test/e2e/wire/fuzz.long.e2e-spec.ts': 25,
  'test/e2e/wire/callbacks.long.e2e-spec.ts': 24,
  'test/contract/chaos.long.contract-spec.ts': 22,
  'libs/read-models/postgres-read-model.spec.ts': 50,
  'libs/card-vault/stores/postgres-vault.spec.ts': 21,
  'libs/card-vault/stores/sqlite-vault.spec.ts': 16,
  'test/e2e/orders/initial-payment.e2e-spec.ts': 16,
  'test/e2e/wire/isolation.long.e2e-spec.ts': 15,
  'test/e2e/wire/payer-pages.long.e2e-spec.ts': 15,
  'test/contract/embedded-event-store.long.contract-spec.ts': 14,
  'test/e2e/orders/idempotency-key.long.e2e-spec.ts': 14,
  'test/contract/gates.contract-spec.ts': 44,
  'test/e2e/crash/crash-disk.long.e2e-spec.ts': 13,
  'test/e2e/service/compose.long.e2e-spec.ts': 13,
  'libs/event-store/stores/embedded/damaged-log.long.spec.ts': 12,
  'test/e2e/service/operator.e2e-spec.ts': 25,
  'test/e2e/gates/two-tiers.long.e2e-spec.ts': 23,
  'test/simulation/world/world.sim-spec.ts': 22,
  'test/simulation/scenarios/late-answers-follow-ups.sim-spec.ts': 27,
  'test/simulation/scenarios/late-answers.sim-spec.ts': 21,
  'apps/orchestrator/src/specs/device-cost-before-authentication.spec.ts': 16,
  'test/contract/monitoring.contract-spec.ts': 18,
  'libs/read-models/read-model.spec.ts': 22,
  'libs/http/group-a/cost-before-authentication.spec.ts': 12,
  'test/simulation/planted/planted.sim-spec.ts': 18,
  'apps/orchestrator/src/specs/linear-time.long.spec.ts': 15,
};
for (const file of Object.keys(SECONDS)) if (!existsSync(join(ROOT, file))) throw new Error(`longest-first.cjs: there is no ${file}`);

const secondsOf = ({ path }) => SECONDS[relative(ROOT, path)] ?? 0;

/** Runs the longest files first, so that no worker is left with one at the end. */
module.exports = class LongestFirst extends TestSequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => secondsOf(other) - secondsOf(one));
  }
};
