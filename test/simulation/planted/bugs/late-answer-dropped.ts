import type { PlantedBug } from '../planted-bug';

/** What a gate says after the time limit of a call is heard by nobody. */
export const lateAnswerDropped: PlantedBug = {
  name: 'late-answer-dropped',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/gate-caller.ts',
      find: 'await this.recordUntilStored(call, () => record(answered as Definite<Answer>))',
      put: 'void record',
    },
  ],
  seed: 9,
  violates: 'a late answer is written down',
};
