import type { Brand, Decider, Instant, NonEmpty, Sealed } from '@app/kernel';
import type { AcceptedOrder, Operation, OrderCard, OrderInProgress, ReceivingCard } from '../accepted-order';
import { answerToRepeat, termsOf, type AcceptanceRejection, type Offer } from '../acceptance';
import {
  decideDeviceOrder,
  deviceOrderOf,
  evolveDeviceOrder,
  type DeviceOrder,
  type DeviceOrderEvent,
  type DeviceOrderCommand,
  type DeviceOrderRejection,
} from './device-order';
import type { MerchantChecked } from '../device.events';

/** Keyed digest, hex, of a session's access token and token; authorises status and complete. */
export type SessionDigest = Brand<string, 'SessionDigest'>;

/** The data of `OrderAccepted` in the device interface (interface, section 4.5). */
export interface AcceptedDeviceOrder extends Omit<AcceptedOrder, 'card'> {
  /** Absent if it was given by reference; the merchant server then names the card. */
  readonly card?: OrderCard;
  readonly destination?: ReceivingCard;
  /** `DeviceTexts`, packed and sealed. */
  readonly device: Sealed;
  readonly sessionDigest: SessionDigest;
  /** The signed text can also be split differently within the length rules (safety, section 3.1). */
  readonly signatureAmbiguous: boolean;
}

export const ADDRESS_SEPARATOR = ' ';

/** The check must echo the app's data; addresses are joined by `ADDRESS_SEPARATOR`. */
export interface DeviceTexts {
  readonly accessToken: string;
  readonly nonce: string;
  readonly signature: string;
  /** Issued by this service; authorises status and complete. */
  readonly token: string;
  readonly serialNumber: string;
  readonly sourceClientCardId?: string;
  readonly destinationClientCardId?: string;
  readonly imei?: string;
  readonly ipAddresses?: string;
  readonly latitude?: string;
  readonly longitude?: string;
  readonly street2?: string;
}

export type RequestedDeviceOrder<Accepted extends AcceptedDeviceOrder> = Omit<Accepted, 'endpointId' | 'plan' | 'acceptedAt'>;

export interface AcceptDeviceOrder<Accepted extends AcceptedDeviceOrder> {
  readonly type: 'AcceptDeviceOrder';
  readonly data: {
    readonly order: RequestedDeviceOrder<Accepted>;
    readonly operation: Operation;
    readonly offer: Offer;
    readonly now: Instant;
  };
}

export interface DeviceOrderAccepted<Accepted extends AcceptedDeviceOrder> {
  readonly type: 'OrderAccepted';
  readonly data: Accepted;
}

type DeviceOrderUnderWay<Accepted extends AcceptedDeviceOrder> = Accepted & Pick<OrderInProgress, 'cardRefId' | 'destinationCardRefId'>;

export type DeviceOrderState<Accepted extends AcceptedDeviceOrder> =
  | { readonly status: 'none' }
  | { readonly status: 'accepted'; readonly order: DeviceOrderUnderWay<Accepted>; readonly processing: DeviceOrder };

const afterCheck = <Accepted extends AcceptedDeviceOrder>(
  order: DeviceOrderUnderWay<Accepted>,
  { source, destination, customer, details }: MerchantChecked['data'],
): DeviceOrderUnderWay<Accepted> => ({
  ...order,
  ...(source && { card: source.card, cardRefId: source.cardRefId }),
  ...(destination && { destination: destination.card, destinationCardRefId: destination.cardRefId }),
  ...(customer !== undefined && { customer }),
  ...(details !== undefined && { details }),
});

const evolveDeviceOrderState = <Accepted extends AcceptedDeviceOrder>(
  state: DeviceOrderState<Accepted>,
  event: DeviceOrderAccepted<Accepted> | DeviceOrderEvent,
): DeviceOrderState<Accepted> => {
  if (event.type === 'OrderAccepted') {
    if (state.status !== 'none') throw new Error('OrderAccepted twice');
    return { status: 'accepted', order: event.data, processing: deviceOrderOf(event.data) };
  }
  if (state.status === 'none') throw new Error(`${event.type} before OrderAccepted`);
  const order = event.type === 'MerchantChecked' ? afterCheck(state.order, event.data) : state.order;
  return { ...state, order, processing: evolveDeviceOrder(state.processing, event) };
};

/** A repeat with the same content is the same order (protocol decisions, section 8). */
const acceptDeviceOrder = <Accepted extends AcceptedDeviceOrder>(
  { data: { order, operation, offer, now } }: AcceptDeviceOrder<Accepted>,
  state: DeviceOrderState<Accepted>,
): NonEmpty<DeviceOrderAccepted<Accepted>> | AcceptanceRejection => {
  if (state.status !== 'none') return answerToRepeat(state.order, order.contentDigest);
  const terms = termsOf(offer, { operation, amount: order.amount });
  if ('reason' in terms) return terms;
  const fixed: Pick<AcceptedOrder, 'endpointId' | 'plan' | 'acceptedAt'> = { ...terms, acceptedAt: now };
  return [{ type: 'OrderAccepted', data: { ...order, ...fixed } as Accepted }];
};

export const decideDeviceOrderState = <Accepted extends AcceptedDeviceOrder>(
  command: DeviceOrderCommand,
  state: DeviceOrderState<Accepted>,
): NonEmpty<DeviceOrderEvent> | DeviceOrderRejection =>
  state.status === 'none' ? { reason: 'nothing-new' } : decideDeviceOrder(command, state.processing);

type DeviceOrderDecider<Accepted extends AcceptedDeviceOrder> = Decider<
  AcceptDeviceOrder<Accepted> | DeviceOrderCommand,
  DeviceOrderAccepted<Accepted> | DeviceOrderEvent,
  DeviceOrderState<Accepted>,
  AcceptanceRejection | DeviceOrderRejection
>;

/** Serves every context of the device interface: only their acceptance data differ. */
export const deviceOrderDecider = <Accepted extends AcceptedDeviceOrder>(): DeviceOrderDecider<Accepted> => ({
  initial: { status: 'none' },
  evolve: (state, event) => evolveDeviceOrderState(state, event),
  decide: (command, state) =>
    command.type === 'AcceptDeviceOrder' ? acceptDeviceOrder(command, state) : decideDeviceOrderState(command, state),
});
