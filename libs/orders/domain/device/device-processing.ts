import type { Processing, ProcessingEvent, ProcessingRejection } from '../processing';
import type { DeviceRejection } from './device-commands';
import type { DeviceStage } from '../device-stage';
import type { DeviceEvent } from '../device.events';

/** An order of the device interface: every order's state, and the stage before its gates. */
export interface DeviceOrder extends Processing {
  readonly device: DeviceStage;
}

export type DeviceOrderEvent = ProcessingEvent | DeviceEvent;
export type DeviceOrderRejection = ProcessingRejection | DeviceRejection;
