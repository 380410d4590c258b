import type { DynamicModule } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { EVENT_STORE, IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { StreamCopies } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, RANDOM, SCHEDULER, type Injectable, type Token } from '@app/kernel/injection';
import { noFailpoints } from '@app/kernel';
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
} from '@app/orders/orders.tokens';
import { CARD_REFERENCES } from '@app/recurring/recurring.tokens';
import { seededIds, seededRandom } from './seeded-chance';
import { VirtualClock } from './virtual-clock';

export const KEY_STREAM = { keyStream: (_purpose: string, bytes: number) => Buffer.alloc(bytes, 7) };

/** A global module with every port of the contexts' modules: time is fixed, the log is in memory, and other ports are empty objects. */
export const modulePorts = (given: readonly (readonly [Token<unknown>, unknown])[] = [], clock = new VirtualClock()): DynamicModule => {
  const store = new MemoryEventStore(clock);
  const values = new Map<Injectable<unknown>, unknown>([
    [CLOCK, clock],
    [MONOTONIC, clock],
    [SCHEDULER, clock],
    [IDS, seededIds(1)],
    [RANDOM, seededRandom(1)],
    [FAILPOINTS, noFailpoints],
    [BOOT_ID, 'boot'],
    [CONFIGURATION, { orderIds: 'text' }],
    [ACCOUNTS, { merchants: [] }],
    [EVENT_STORE, store],
    [REQUEST_EVENT_STORE, store],
    [IS_LOG_SHARED, false],
    [StreamCopies, new StreamCopies()],
    [CARD_VAULT, KEY_STREAM],
    [GATES, {}],
    [GATE_CIRCUITS, { isOpen: () => false, admits: () => true }],
    [MERCHANT_SERVER, {}],
    [CARD_MAPPING, {}],
    [CARD_REFERENCES, {}],
    [ORDER_FACTS, {}],
    [PAYER_ADDRESSES, {}],
    [NOTIFICATION_ADDRESSES, {}],
    [ORDER_AGENDA, {}],
    [REQUEST_INDEX, {}],
    [GATE_NOTIFICATION_LISTENER, {}],
    [ORDERS_LISTENER, {}],
    ...given,
  ]);
  const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }));
  return { module: class ModulePorts {}, global: true, providers, exports: [...values.keys()] };
};
