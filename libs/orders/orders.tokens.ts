import { token } from '@app/kernel/injection';
import type { CardVault } from '@app/card-vault';
import type { AnyEvent, StreamName, WorkItem } from '@app/event-store';
import type { PayerAddresses } from './application/gates/submit-attempt';
import type { GateCall } from './application/gates/gate-caller';
import type { CardMapping, MerchantServer } from './application/device-ports';
import type { HearingWatch, NotificationAddresses, OrderAgenda, RequestIndex } from './application/gates/hearing-ports';
import type { AcceptOrderPorts } from './application/acceptance/accept-order';
import type { OpenOrder, OrderFacts } from './application/order-context';
import type { OrderNumbersUsed } from './application/order-ids';
import type { GateCircuits } from './application/rules/gate-circuits';
import type { AboutOrder } from './application/order-work-failed';

/** Checks orders of the device interface before a gate, and hears how they went. */
export const MERCHANT_SERVER = token<MerchantServer>('MERCHANT_SERVER');
/** Gives the cards of an approved order their references. */
export const CARD_MAPPING = token<CardMapping>('CARD_MAPPING');
/** Where a payer's browser is sent to and comes back to. */
export const PAYER_ADDRESSES = token<PayerAddresses>('PAYER_ADDRESSES');
/** Where a gate tells what became of a request. */
export const NOTIFICATION_ADDRESSES = token<NotificationAddresses>('NOTIFICATION_ADDRESSES');
/** Finds the orders of a gate's request by its key. */
export const REQUEST_INDEX = token<RequestIndex>('REQUEST_INDEX');
/** Makes the work of an order due. */
export const ORDER_AGENDA = token<OrderAgenda>('ORDER_AGENDA');
export const HEARING_WATCH = token<HearingWatch>('HEARING_WATCH');
/** An order as its own stream has it. */
export const ORDER_FACTS = token<OrderFacts>('ORDER_FACTS');
/** What every context needs to accept an order. */
export const ORDER_ACCEPTANCE = token<AcceptOrderPorts & { readonly vault: CardVault }>('ORDER_ACCEPTANCE');

/** Which gates new orders do without for a while. */
export const GATE_CIRCUITS = token<GateCircuits>('GATE_CIRCUITS');

/** What a failure of work is about, as far as it is known. */
export type AboutWork = Partial<AboutOrder> & Pick<Partial<WorkItem>, 'task' | 'lane'>;

/** Hears what happens to orders, for metrics and the log. */
export interface OrdersWatch {
  /** The work is tried again. */
  workFailed(about: AboutWork, error: unknown): void;
  /** What a gate's adapter threw, or what kept a gate's late answer from being recorded. */
  gateFailed(call: Partial<GateCall>, error: unknown): void;
  /** A gate answered after the time that a call has. */
  gateAnsweredLate(call: GateCall, answer: string): void;
  /** A gate contradicts what the order's stream holds: money may stand otherwise, and somebody has to look (safety, I4). */
  gateContradicted(stream: StreamName): void;
  /** An append that was made here, and how the order stands with it. */
  orderMoved(order: OpenOrder, events: readonly AnyEvent[]): void;
  orderAccepted(stream: StreamName): void;
  orderNumbersReserved(used: OrderNumbersUsed): void;
}

export const ORDERS_WATCH = token<OrdersWatch>('ORDERS_WATCH');
