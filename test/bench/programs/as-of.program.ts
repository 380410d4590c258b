import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import type { AskAsOf, AsOfTimes } from '../load/history';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemScheduler: scheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { datedEvents, eventsAsOf, orderHistory, orderState, viewAfter } = built<typeof import('@app/audit')>('libs/audit/index.js');
const { recurringStream } = built<typeof import('@app/recurring')>('libs/recurring/index.js');

const US_PER_MS = 1_000;

/** The state of each order as of the moment of its second event, as the operator API gives it: read, verified, dated, folded. */
answerQuestions(async ({ dataDir, clientOrderIds }: AskAsOf): Promise<AsOfTimes> => {
  const log = EmbeddedEventStore.openReader({ path: join(dataDir, 'events.sqlite'), scheduler });
  const timesMs: number[] = [];
  const cpuFrom = process.cpuUsage();
  for (const clientOrderId of clientOrderIds) {
    const startedAt = performance.now();
    const history = datedEvents(await orderHistory(log, recurringStream(ACME.login as MerchantLogin, clientOrderId as ClientOrderId)));
    const at = history[1]?.knownAt;
    const view = at === undefined ? undefined : viewAfter(eventsAsOf(history, { kind: 'true-at', at }));
    if (view === undefined || orderState(view).clientOrderId !== clientOrderId) throw new Error(`${clientOrderId} was not found`);
    timesMs.push(performance.now() - startedAt);
  }
  const cpu = process.cpuUsage(cpuFrom);
  await log.close();
  return { timesMs, cpuMs: (cpu.user + cpu.system) / US_PER_MS / timesMs.length };
});
