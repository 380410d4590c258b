import type { PlantedBug } from '../planted-bug';

/** An answer that comes when the outcome is known replaces it. */
export const lateResultFlipsState: PlantedBug = {
  name: 'late-result-flips-state',
  edits: [
    {
      file: 'libs/order-processing/attempts/domain/attempts.ts',
      find: `    case 'not-asked':
      return lateAnswer(state, answer, now);`,
      put: `    case 'not-asked':
      return [answerEvent(key, answer, now)];`,
    },
  ],
  seed: 1,
  violates: 'no stream is parked',
};
