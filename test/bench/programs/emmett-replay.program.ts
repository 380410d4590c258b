import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { emmettEvent, openEmmett } from '../harness/peers';
import { answerQuestions } from '../harness/program';
import { prepareAppends } from '../load/event-rows';
import type { Timed } from '../load/appends';

export type EmmettReplay =
  | { readonly kind: 'fill'; readonly folder: string; readonly count: number }
  /** The replay is timed until so many events were handled. */
  | { readonly kind: 'replay'; readonly folder: string; readonly processorId: string; readonly count: number };

const EVENTS_PER_APPEND = 200;
console.log = () => undefined;

const fill = async (folder: string, count: number): Promise<Timed> => {
  const store = openEmmett(join(folder, 'emmett.sqlite'));
  await store.schema.migrate();
  const startedAt = performance.now();
  for (let from = 0; from < count; from += EVENTS_PER_APPEND) {
    const events = prepareAppends(`emmett-${from}`, Math.min(EVENTS_PER_APPEND, count - from)).map(({ event }) => emmettEvent(event));
    await store.appendToStream(`recurring-${from}`, events);
  }
  return { count, elapsedMs: performance.now() - startedAt };
};

/** Uses Emmett's consumer with its defaults; events are only counted. */
const replay = async (folder: string, processorId: string, count: number): Promise<Timed> => {
  const consumer = openEmmett(join(folder, 'emmett.sqlite')).consumer();
  let handled = 0;
  let elapsedMs = 0;
  const startedAt = performance.now();
  consumer.processor({
    processorId,
    startFrom: 'BEGINNING',
    eachMessage: () => {
      handled += 1;
      elapsedMs = performance.now() - startedAt;
    },
    stopAfter: () => handled >= count,
  });
  await consumer.start();
  await consumer.close();
  return { count: handled, elapsedMs };
};

answerQuestions((question: EmmettReplay): Promise<Timed> =>
  question.kind === 'fill' ? fill(question.folder, question.count) : replay(question.folder, question.processorId, question.count),
);
