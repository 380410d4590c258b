import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ACME } from '../harness/acme';
import { built, ROOT } from '../harness/built';
import { answerQuestions } from '../harness/program';
import type { AskWhatIf, WhatIfTimed } from '../load/history';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemScheduler: scheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { whatIf, WhatIfTotals } = built<typeof import('@app/audit')>('libs/audit/index.js');
const { loadConfiguration, whatIfRulesFrom } = built<typeof import('@app/configuration')>('libs/configuration/index.js');
const { GATE_ADAPTERS } = built<typeof import('@app/gateway-adapters/registry')>('libs/gateway-adapters/registry.js');

const BYTES_PER_MIB = 1_048_576;

/** Other screening with a count for each card, and other routing: of each order both are decided again, and a fifth come out otherwise. */
const RULES = JSON.stringify({
  merchants: [
    {
      login: ACME.login,
      endpoints: [
        {
          id: ACME.endpointId,
          gates: ['sim-a', 'sim-b'],
          screening: { minAmount: '1.00', maxAmount: '1009.00', blockedBins: ['555555'], perCard: { count: 30_000, hours: 1 } },
          routing: [
            { name: 'large', when: { amountFrom: '1008.00', bins: ['400000-499999'] }, then: { cascade: ['sim-b', 'sim-a'] } },
            { name: 'rest', then: { cascade: ['sim-a'] } },
          ],
        },
      ],
    },
  ],
});

answerQuestions(async ({ dataDir }: AskWhatIf): Promise<WhatIfTimed> => {
  const { accounts } = loadConfiguration(join(ROOT, 'config/sandbox.yaml'), {}, GATE_ADAPTERS);
  const rules = whatIfRulesFrom(RULES, 'rules', {}, accounts);
  const log = EmbeddedEventStore.openReader({ path: join(dataDir, 'events.sqlite'), scheduler, readsAhead: true });
  const totals = new WhatIfTotals();
  const startedAt = performance.now();
  const { orders, unreadable, isIncomplete } = await whatIf({ log, rules, accounts, onDecided: (decided) => totals.add(decided) });
  const elapsedMs = performance.now() - startedAt;
  await log.close();
  if (unreadable > 0 || isIncomplete) throw new Error('not every order was decided again');
  return { orders, elapsedMs, classes: totals.classes, residentMib: process.memoryUsage().rss / BYTES_PER_MIB };
});
