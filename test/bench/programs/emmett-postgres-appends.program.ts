import { emmettEvent, openEmmettOnPostgres } from '../harness/peers';
import { answerQuestions } from '../harness/program';
import { timedAppends, type AppendLoad, type Timed } from '../load/appends';
import { prepareAppends } from '../load/event-rows';

export interface PostgresAppends extends AppendLoad {
  /** The address of an empty database. */
  readonly url: string;
}

const NEW_STREAM = { expectedStreamVersion: 'STREAM_DOES_NOT_EXIST' } as const;

/** The same events through Emmett's PostgreSQL store with its defaults, each expected to be the first of its stream. */
answerQuestions(async ({ url, ...load }: PostgresAppends): Promise<Timed> => {
  const appends = prepareAppends('emmett', load.count + (load.warmUp ?? 0)).map(({ stream, event }) => ({
    stream,
    events: [emmettEvent(event)],
  }));
  const store = openEmmettOnPostgres(url);
  await store.schema.migrate();
  const times = await timedAppends(load, appends, async ({ stream, events }) => {
    await store.appendToStream(stream, events, NEW_STREAM);
  });
  await store.close();
  return times;
});
