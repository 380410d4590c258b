import type { AcceptedDeviceOrder, DeviceOrderAccepted, DeviceOrderEvent, OrderCard } from '@app/orders/domain';

/** A card that an app gave by its number, to be verified and mapped to a reference. */
export interface AcceptedDeviceVerification extends Omit<AcceptedDeviceOrder, 'card' | 'destination'> {
  readonly card: OrderCard;
}

export type DeviceVerificationAccepted = DeviceOrderAccepted<AcceptedDeviceVerification>;

export type DeviceVerificationEvent = DeviceVerificationAccepted | DeviceOrderEvent;
