import type { PlantedBug } from '../planted-bug';

/** A request is answered before its order is stored. */
export const acknowledgeBeforeAppend: PlantedBug = {
  name: 'acknowledge-before-append',
  edits: [
    {
      file: 'libs/order-processing/order/application/accept-order.ts',
      find: 'const result = await runOpeningDecision({ store: storeWithin(store, deadline), envelope, ...decision });',
      put: `void runOpeningDecision({ store: storeWithin(store, deadline), envelope, ...decision }).catch(() => undefined);
  const result = { kind: 'appended' } as never as Awaited<ReturnType<typeof runOpeningDecision<Command, Event, State, Rejection>>>;`,
    },
  ],
  seed: 1,
  violates: 'an accepted order becomes final',
};
