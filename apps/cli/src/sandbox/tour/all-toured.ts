import type { DeviceToured } from './device-tour';
import type { Toured } from './tour';

/** The orders of the whole tour, by merchant and by device. */
export interface AllToured extends Toured {
  readonly device: DeviceToured;
}
