import type { PlantedBug } from '../planted-bug';

/** A callback counts as delivered before it is sent. */
export const markDeliveredBeforeSend: PlantedBug = {
  name: 'mark-delivered-before-send',
  edits: [
    {
      file: 'libs/deliveries/application/deliver-callback.reactor.ts',
      find: 'const result = isTriedBefore(state, fact) ? NOT_ACKNOWLEDGED : await this.#try(factId, item.stream, fact);',
      put: `void this.#try(factId, item.stream, fact).catch(() => undefined);
    const result = { kind: 'delivered', status: 200 } as TryResult;`,
    },
  ],
  seed: 1,
  violates: 'the end of an order is told',
};
