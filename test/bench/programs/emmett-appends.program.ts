import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { emmettEvent, openEmmett } from '../harness/peers';
import { answerQuestions } from '../harness/program';
import { prepareAppends } from '../load/event-rows';
import type { Appends, Timed } from '../load/appends';

/** Emmett reads its own INSERT ... RETURNING to the first row only, so that a COMMIT now and then finds the statement in progress and fails. */
const FAILED_MAX = 1_000;
// Its failures are counted here, and it would print each.
console.log = () => undefined;

/** The same events through Emmett's store with its defaults, one after the other. */
answerQuestions(async ({ folder, count, writers }: Appends): Promise<Timed> => {
  if (writers !== 1) throw new Error('Emmett is measured with one writer');
  const appends = prepareAppends('emmett', count).map(({ stream, event }) => ({ stream, event: emmettEvent(event) }));
  const store = openEmmett(join(folder, 'emmett.sqlite'));
  await store.schema.migrate();
  let failed = 0;
  const startedAt = performance.now();
  for (const { stream, event } of appends) {
    for (;;) {
      try {
        await store.appendToStream(stream, [event]);
        break;
      } catch (error) {
        if (++failed > FAILED_MAX) throw error;
      }
    }
  }
  return { count, elapsedMs: performance.now() - startedAt, failed };
});
