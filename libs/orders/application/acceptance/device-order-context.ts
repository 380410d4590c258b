import type { EventCodec } from '@app/event-store';
import {
  decideDeviceOrderState,
  deviceOrderDecider,
  type AcceptedDeviceOrder,
  type DeviceOrderAccepted,
  type DeviceOrderEvent,
  type DeviceOrderState,
} from '../../domain';
import type { OrderContext } from '../order-context';

type AnyDeviceEvent<Accepted extends AcceptedDeviceOrder> = DeviceOrderAccepted<Accepted> | DeviceOrderEvent;

/** Builds what the reactors need of a context of the device interface. */
export const deviceOrderContext = <Accepted extends AcceptedDeviceOrder>(
  codec: EventCodec<AnyDeviceEvent<Accepted>>,
  streamOf: OrderContext<AnyDeviceEvent<Accepted>, DeviceOrderState<Accepted>>['streamOf'],
): OrderContext<AnyDeviceEvent<Accepted>, DeviceOrderState<Accepted>> => ({
  codec,
  // Only the context itself accepts orders, so a reactor's decider knows no such command.
  decider: { ...deviceOrderDecider<Accepted>(), decide: (command, state) => decideDeviceOrderState(command, state) },
  orderOf: (state) => (state.status === 'none' ? undefined : state),
  streamOf,
});
