import type { DeviceToured } from './device-tour';
import type { Toured } from './tour';

/** What the whole tour leaves behind, of the merchant and of the device. */
export interface AllToured extends Toured {
  readonly device: DeviceToured;
}
