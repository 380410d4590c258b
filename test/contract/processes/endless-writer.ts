import { eventId, type NewEvent, type Revision, type StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';

const WRITERS = 8;
const BATCHES_MAX = 100_000;

const [path = '', life = ''] = process.argv.slice(2);

const write = async (store: EmbeddedEventStore, writer: number): Promise<void> => {
  const stream = `killed-${life}.${writer}` as StreamName;
  let expected: 'no_stream' | Revision = 'no_stream';
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const event = (index: number): NewEvent => ({
      id: eventId(stream, `${batch}`, index),
      type: 'Written',
      data: JSON.stringify({ batch, filling: 'x'.repeat(500) }),
      metadata: '{}',
    });
    const answer = await store.append(stream, expected, [event(0), event(1), event(2)]);
    if (answer.kind === 'conflict') throw new Error(`${stream} has another writer`);
    expected = answer.revision;
    process.stdout.write(`${stream} ${answer.revision}\n`);
  }
};

void (async () => {
  const store = await EmbeddedEventStore.open({ path, clock: systemClock, scheduler: systemScheduler });
  process.stdout.write('ready\n');
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(store, writer)));
})();
