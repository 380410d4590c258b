import type { PlantedBug } from '../planted-bug';

/** A call that outlives its time limit counts as one that has ended: what a gate does not know yet, it is taken never to learn. */
export const overdueCallForgotten: PlantedBug = {
  name: 'overdue-call-forgotten',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/gate-caller.ts',
      find: `      void this.awaitLateAnswer(keyed, laneOf(keyed), outcome.ending, recordLate).then((isSettled) =>
        underWay.release(key, isSettled ? 0 : longestFlightMs),
      );`,
      put: `      underWay.release(key, 0);
      void this.awaitLateAnswer(keyed, laneOf(keyed), outcome.ending, recordLate);
      void longestFlightMs;`,
    },
  ],
  seed: 24,
  violates: 'the status is what the gate did',
};
