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
import type { AcceptedTransfer, TransferEvent } from './transfer.events';

export type Transfer = DeviceOrderState<AcceptedTransfer>;
export type TransferCommand = TakeDeviceOrder<AcceptedTransfer> | DeviceOrderCommand;
export type TransferRejection = AcceptanceRejection | DeviceOrderRejection;

export const transfer: Decider<TransferCommand, TransferEvent, Transfer, TransferRejection> = {
  initial: { status: 'none' },
  evolve: (state, event) => evolveDeviceOrderState(state, event),
  decide: (command, state) =>
    command.type === 'TakeDeviceOrder' ? takeDeviceOrder(command, state) : decideDeviceOrderState(command, state),
};
