import { token } from '@app/kernel/injection';
import type { CardVault } from '@app/card-vault';
import type { AnyEvent, StreamName, WorkItem } from '@app/event-store';
import type { PayerAddresses } from './application/gates/submit-attempt';
import type { GateCall } from './application/gates/gate-caller';
import type { CardMapping, MerchantServer } from './application/device-ports';
import type {
  GateNotificationListener,
  NotificationAddresses,
  OrderAgenda,
  RequestIndex,
} from './application/gates/gate-notification-ports';
import type { AcceptOrderPorts } from './application/acceptance/accept-order';
import type { OpenOrder, OrderFacts } from './application/order-context';
import type { OrderNumbersUsed } from './application/order-ids';
import type { GateCircuits } from './application/rules/gate-circuits';
import type { AboutOrder } from './application/order-work-failed';

export const MERCHANT_SERVER = token<MerchantServer>('MERCHANT_SERVER');
export const CARD_MAPPING = token<CardMapping>('CARD_MAPPING');
export const PAYER_ADDRESSES = token<PayerAddresses>('PAYER_ADDRESSES');
export const NOTIFICATION_ADDRESSES = token<NotificationAddresses>('NOTIFICATION_ADDRESSES');
export const REQUEST_INDEX = token<RequestIndex>('REQUEST_INDEX');
export const ORDER_AGENDA = token<OrderAgenda>('ORDER_AGENDA');
export const GATE_NOTIFICATION_LISTENER = token<GateNotificationListener>('GATE_NOTIFICATION_LISTENER');
export const ORDER_FACTS = token<OrderFacts>('ORDER_FACTS');
export const ORDER_ACCEPTANCE = token<AcceptOrderPorts & { readonly vault: CardVault }>('ORDER_ACCEPTANCE');

export const GATE_CIRCUITS = token<GateCircuits>('GATE_CIRCUITS');

export type AboutWork = Partial<AboutOrder> & Pick<Partial<WorkItem>, 'task' | 'lane'>;

export interface OrdersListener {
  workFailed(about: AboutWork, error: unknown): void;
  gateFailed(call: Partial<GateCall>, error: unknown): void;
  gateAnsweredLate(call: GateCall, answer: string): void;
  /** Money may differ from the log, and an operator has to check (safety, I4). */
  gateContradicted(stream: StreamName): void;
  orderMoved(order: OpenOrder, events: readonly AnyEvent[]): void;
  orderAccepted(stream: StreamName): void;
  orderNumbersReserved(used: OrderNumbersUsed): void;
}

export const ORDERS_LISTENER = token<OrdersListener>('ORDERS_LISTENER');
