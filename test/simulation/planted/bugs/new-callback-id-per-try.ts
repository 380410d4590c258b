import type { PlantedBug } from '../planted-bug';

/** Each try of a callback has an id of its own. */
export const newCallbackIdPerTry: PlantedBug = {
  name: 'new-callback-id-per-try',
  edits: [
    {
      file: 'libs/deliveries/application/deliver-callback.reactor.ts',
      find: 'const request = callbackRequest(factId, fact,',
      put: 'const request = callbackRequest(this.#ports.ids.next() as EventId, fact,',
    },
  ],
  seed: 1,
  violates: 'each try of a callback has one id',
};
