import type { Decider } from '@app/kernel';
import {
  decideDeviceOrderState,
  evolveDeviceOrderState,
  takeDeviceOrder,
  type AcceptanceRejection,
  type DeviceOrderCommand,
  type DeviceOrderRejection,
  type DeviceOrderState,
  type TakeDeviceOrder,
} from '@app/order-processing/domain';
import type { AcceptedDeviceVerification, DeviceVerificationEvent } from './device-verification.events';

export type DeviceVerification = DeviceOrderState<AcceptedDeviceVerification>;
export type DeviceVerificationCommand = TakeDeviceOrder<AcceptedDeviceVerification> | DeviceOrderCommand;
export type DeviceVerificationRejection = AcceptanceRejection | DeviceOrderRejection;

export const deviceVerification: Decider<
  DeviceVerificationCommand,
  DeviceVerificationEvent,
  DeviceVerification,
  DeviceVerificationRejection
> = {
  initial: { status: 'none' },
  evolve: (state, event) => evolveDeviceOrderState(state, event),
  decide: (command, state) =>
    command.type === 'TakeDeviceOrder' ? takeDeviceOrder(command, state) : decideDeviceOrderState(command, state),
};
