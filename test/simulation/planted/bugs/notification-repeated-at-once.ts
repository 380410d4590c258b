import type { PlantedBug } from '../planted-bug';

/** A notification that failed before the order ended is not counted, and is sent again at once. */
export const notificationRepeatedAtOnce: PlantedBug = {
  name: 'notification-repeated-at-once',
  edits: [
    {
      file: 'libs/deliveries/application/deliver-callback.reactor.ts',
      find: 'const result = isTriedBefore(state, fact) ? NOT_ACKNOWLEDGED : await this.#try(factId, item.stream, fact);',
      put: `void [isTriedBefore, NOT_ACKNOWLEDGED];
    const result = await this.#try(factId, item.stream, fact);`,
    },
  ],
  seed: 1,
  violates: 'a notification is repeated by its schedule',
};
