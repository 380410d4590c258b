import { Module, type InjectionToken } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { DeviceVerificationModule } from '@app/device-verification/device-verification.module';
import { StreamCopies, type EventStore } from '@app/event-store';
import { EVENT_STORE, IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import type { Gates } from '@app/gateway-adapters/contract';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, RANDOM, SCHEDULER } from '@app/kernel/injection';
import { noFailpoints, type BootId, type Failpoints, type Ids, type OrderIds, type Random } from '@app/kernel';
import {
  OrderIdSource,
  OrderSwitches,
  type GateCircuits,
  type GateNotificationListener,
  type MerchantServer,
  type OpenOrder,
  type OrderAgenda,
  type RequestIndex,
} from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import {
  CARD_MAPPING,
  GATE_CIRCUITS,
  GATE_NOTIFICATION_LISTENER,
  MERCHANT_SERVER,
  NOTIFICATION_ADDRESSES,
  ORDER_AGENDA,
  ORDER_FACTS,
  ORDERS_LISTENER,
  PAYER_ADDRESSES,
  REQUEST_INDEX,
  type OrdersListener,
} from '@app/orders/orders.tokens';
import { PaymentModule } from '@app/payment/payment.module';
import { RecurringModule } from '@app/recurring/recurring.module';
import { CARD_REFERENCES } from '@app/recurring/recurring.tokens';
import type { VirtualClock } from '@app/testing';
import { TransferModule } from '@app/transfer/transfer.module';
import { PlainParts } from '../world/plain-parts';
import { mappedCards } from './scripted-merchant-server';
import type { ScriptedVault } from './scripted-vault';

export interface OrderPartsSettings {
  readonly clock: VirtualClock;
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly gates: Gates;
  readonly vault: ScriptedVault;
  readonly merchantServer: MerchantServer;
  readonly ids: Ids;
  readonly random: Random;
  readonly orderIds: OrderIds;
  readonly bootId: BootId;
  /** True if several processes share the log. A single process knows at its start that no earlier one is running. */
  readonly isShared: boolean;
  readonly failpoints?: Failpoints;
  readonly onError: (error: unknown) => void;
  readonly onLate: (answer: string) => void;
  readonly hearing?: {
    readonly agenda: OrderAgenda;
    readonly requests: RequestIndex;
    readonly circuits: Pick<GateCircuits, 'isOpen'>;
    readonly listener: GateNotificationListener;
  };
}

@Module({ imports: [OrdersModule, PaymentModule, RecurringModule, TransferModule, DeviceVerificationModule] })
class OrderModules {}

const nothing = (): void => undefined;

const watchOf = ({ onError, onLate }: OrderPartsSettings): OrdersListener => ({
  workFailed: (_about, error) => onError(error),
  gateFailed: (_call, error) => onError(error),
  gateAnsweredLate: ({ task }, answer) => onLate(`${task}: ${answer}`),
  gateContradicted: nothing,
  orderMoved: nothing,
  orderAccepted: nothing,
  orderNumbersReserved: nothing,
});

const never = (): never => {
  throw new Error('no scenario asks for this');
};

/** The five contexts and `orders`, wired as in their modules, over the ports of a scenario. */
export const orderParts = (settings: OrderPartsSettings): PlainParts => {
  const {
    clock,
    store,
    gates,
    vault,
    merchantServer,
    ids,
    random,
    orderIds,
    bootId,
    isShared,
    failpoints = noFailpoints,
    hearing,
  } = settings;
  const given = new Map<InjectionToken, unknown>([
    [CLOCK, clock],
    [MONOTONIC, clock],
    [SCHEDULER, clock],
    [IDS, ids],
    [RANDOM, random],
    [BOOT_ID, bootId],
    [FAILPOINTS, failpoints],
    [EVENT_STORE, store],
    [REQUEST_EVENT_STORE, store],
    [IS_LOG_SHARED, isShared],
    [StreamCopies, new StreamCopies()],
    [CARD_VAULT, vault],
    [GATES, gates],
    [MERCHANT_SERVER, merchantServer],
    [CARD_MAPPING, { map: (order: OpenOrder) => Promise.resolve(mappedCards(order)) }],
    [PAYER_ADDRESSES, { returnUrl: (stream: string, key: string) => `https://gateway.example/payer/${stream}/${key}/return` }],
    [
      NOTIFICATION_ADDRESSES,
      { notificationUrl: (gate: string, stream: string, key: string) => `https://gateway.example/gates/${gate}/${stream}/${key}` },
    ],
    [ORDER_AGENDA, hearing?.agenda],
    [REQUEST_INDEX, hearing?.requests],
    [GATE_CIRCUITS, hearing?.circuits],
    [GATE_NOTIFICATION_LISTENER, hearing?.listener],
    [ORDERS_LISTENER, watchOf(settings)],
    [ORDER_FACTS, { find: never }],
    [CARD_REFERENCES, { find: never }],
    [OrderIdSource, orderIds],
    [OrderSwitches, { isHeld: () => false, start: () => Promise.resolve(), stop: nothing }],
  ]);
  const parts = new PlainParts({ module: OrderModules }, given);
  for (const module of parts.modules) parts.now(module);
  return parts;
};
