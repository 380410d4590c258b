import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';

const [path = '', times = '0'] = process.argv.slice(2);

void (async () => {
  for (let tried = 0; tried < Number(times); tried++) {
    try {
      const store = await EmbeddedEventStore.open({ path, clock: systemClock, scheduler: systemScheduler });
      await store.close();
      process.stdout.write('opened\n');
    } catch (error) {
      process.stdout.write(`${(error as Error).name}: ${(error as Error).message}\n`);
    }
  }
})();
