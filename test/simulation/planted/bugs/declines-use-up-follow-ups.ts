import type { PlantedBug } from '../planted-bug';

/** Follow-ups that moved nothing count towards those that an order may have. */
export const declinesUseUpFollowUps: PlantedBug = {
  name: 'declines-use-up-follow-ups',
  edits: [
    {
      file: 'libs/order-processing/follow-ups/domain/request-follow-up.ts',
      find: 'followUps.filter(mayHaveMoved).length >= FOLLOW_UPS_MAX',
      put: 'followUps.length >= FOLLOW_UPS_MAX',
    },
  ],
  seed: 192,
  violates: 'a return of what was taken is accepted',
};
