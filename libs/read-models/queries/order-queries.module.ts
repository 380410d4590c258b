import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { provide } from '@app/kernel/injection';
import { OrderContexts, OrderIdSource } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { CurrentOrderReader } from './current-order';
import { StreamCallbackFacts, StreamNotificationFacts } from './callback-facts';

@Module({
  imports: [OrdersModule],
  providers: [
    provide(
      CurrentOrderReader,
      { store: EVENT_STORE, orderIds: OrderIdSource },
      ({ store, orderIds }) => new CurrentOrderReader(store, orderIds),
    ),
    provide(
      StreamCallbackFacts,
      { orders: CurrentOrderReader, vault: CARD_VAULT, accounts: ACCOUNTS },
      ({ orders, vault, accounts }) => new StreamCallbackFacts(orders, vault, accounts),
    ),
    provide(
      StreamNotificationFacts,
      { store: EVENT_STORE, contexts: OrderContexts, vault: CARD_VAULT },
      ({ store, contexts, vault }) => new StreamNotificationFacts(store, contexts, vault),
    ),
  ],
  exports: [CurrentOrderReader, StreamCallbackFacts, StreamNotificationFacts],
})
export class OrderQueriesModule {}
