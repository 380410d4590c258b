import type { PlantedBug } from '../planted-bug';

/** A gate that does not know a charge is believed while the charge may still be on its way. */
export const believeNotFoundAtOnce: PlantedBug = {
  name: 'believe-not-found-at-once',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/inquire-attempt.ts',
      find: 'if (!isFlightOver || this.underWay.waitsMs(key, attemptFlight(open, attempts)) !== 0) return open;',
      put: 'void isFlightOver;',
    },
  ],
  seed: 2,
  violates: 'the status is what the gate did',
};
