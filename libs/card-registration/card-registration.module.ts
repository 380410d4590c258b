import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { EVENT_STORE, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { built, made, CLOCK, IDS, provide, RANDOM, SCHEDULER } from '@app/kernel/injection';
import { ORDER_FACTS, ORDERS_LISTENER } from '@app/orders/orders.tokens';
import { MerchantApiModule } from '@app/orders/http/merchant-api.module';
import { IssuedReferences } from './application/issued-references';
import { KeepGateToken } from './application/keep-gate-token.reactor';
import { MapCards } from './application/map-cards';
import { RegisterCardHandler } from './application/register-card.handler';
import { CardRegistrationController, CreateCardRefTranslations, GetCardInfoTranslation } from './http/card-registration.controller';

@Module({
  providers: [
    built(IssuedReferences, EVENT_STORE),
    made(MapCards, { store: EVENT_STORE, digests: CARD_VAULT, gates: GATES, clock: CLOCK, ids: IDS }),
    made(RegisterCardHandler, { store: REQUEST_EVENT_STORE, orders: ORDER_FACTS, digests: CARD_VAULT, gates: GATES, clock: CLOCK }),
    provide(
      KeepGateToken,
      { store: EVENT_STORE, gates: GATES, clock: CLOCK, scheduler: SCHEDULER, ids: IDS, random: RANDOM, listener: ORDERS_LISTENER },
      ({ listener, ...ports }) => new KeepGateToken({ ...ports, onAdapterError: (error, about) => listener.gateFailed(about, error) }),
    ),
  ],
  exports: [IssuedReferences, KeepGateToken, MapCards, RegisterCardHandler],
})
export class CardRegistrationModule {}

@Module({
  imports: [MerchantApiModule, CardRegistrationModule],
  controllers: [CardRegistrationController],
  providers: [built(CreateCardRefTranslations, RegisterCardHandler), built(GetCardInfoTranslation, IssuedReferences, CARD_VAULT)],
})
export class CardRegistrationApiModule {}
