import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { StreamCopies } from '@app/event-store';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { built } from '@app/kernel/injection';
import { OrderContexts, OrderIdSource } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { CurrentOrderReader } from './current-order';
import { StreamCallbackFacts, StreamNotificationFacts } from './callback-facts';

@Module({
  imports: [OrdersModule],
  providers: [
    built(CurrentOrderReader, EVENT_STORE, OrderIdSource, StreamCopies),
    built(StreamCallbackFacts, CurrentOrderReader, CARD_VAULT, ACCOUNTS),
    built(StreamNotificationFacts, EVENT_STORE, OrderContexts, CARD_VAULT),
  ],
  exports: [CurrentOrderReader, StreamCallbackFacts, StreamNotificationFacts],
})
export class OrderQueriesModule {}
