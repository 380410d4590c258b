import type { PlantedBug } from '../planted-bug';

/** Whoever knows the tokens of an order may tell the merchant server its card. */
export const mappingByAnybody: PlantedBug = {
  name: 'mapping-by-anybody',
  edits: [
    {
      file: 'libs/merchant-server/edge/notification.ts',
      find: `if (!notificationProof.isGiven(request)) return forbidden('notification-not-signed');`,
      put: 'void notificationProof;',
    },
  ],
  seed: 1,
  violates: 'a card mapping is of the gateway',
};
