import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { EgressModule, EGRESS_POLICY } from '@app/http/client/egress.module';
import { IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { built, made, BOOT_ID, CLOCK, provide, SCHEDULER } from '@app/kernel/injection';
import { CurrentOrderReader } from '@app/read-models/queries';
import { OrderQueriesModule } from '@app/read-models/queries/order-queries.module';
import { RequestModule } from '@app/http/request/request.module';
import { EXCHANGE_LISTENER } from '@app/http/request/request.tokens';
import { DecoyKeys } from '@app/http/request';
import { IdempotencyKeys, OAuthVerifier, ControlVerifier, SenderVerifier } from '@app/http/group-a';
import { ORDER_INTAKE } from './order-intake';
import { RequestFollowUpHandler } from '../application/work/request-follow-up.handler';
import { OrdersModule } from '../orders.module';
import { FollowUpController, FollowUpTranslations } from './follow-up.controller';
import { PayerPages } from './payer/payer-link';
import { NextChange, OrderStatusController, OrderStatusTranslation } from './order-status.controller';
import { OrderStatusAnswer } from './order-status.answer';

/** A process that has not answered a request with an Idempotency-Key within this time is presumed dead. */
const OWNER_WAIT_MS = 5_000;

@Module({
  imports: [EgressModule, OrderQueriesModule, RequestModule],
  providers: [
    built(ControlVerifier, CurrentOrderReader),
    provide(
      OAuthVerifier,
      { configuration: CONFIGURATION, store: REQUEST_EVENT_STORE, decoyKeys: DecoyKeys, digests: CARD_VAULT, clock: CLOCK },
      ({ configuration: { publicBaseUrl }, ...ports }) => new OAuthVerifier({ publicBaseUrl, ...ports }),
    ),
    made(SenderVerifier, { accounts: ACCOUNTS, decoyKeys: DecoyKeys, controls: ControlVerifier, oauth: OAuthVerifier, clock: CLOCK }),
    provide(
      IdempotencyKeys,
      { store: REQUEST_EVENT_STORE, digests: CARD_VAULT, scheduler: SCHEDULER, isShared: IS_LOG_SHARED, listener: EXCHANGE_LISTENER },
      ({ store, digests, scheduler, isShared, listener }) =>
        new IdempotencyKeys({
          store,
          digests,
          scheduler,
          ownerWaitMs: isShared ? OWNER_WAIT_MS : 0,
          onError: (request, error) => listener.failed(request, error),
        }),
    ),
    provide(
      ORDER_INTAKE,
      {
        accounts: ACCOUNTS,
        gates: GATES,
        digests: CARD_VAULT,
        egress: EGRESS_POLICY,
        bootId: BOOT_ID,
        configuration: CONFIGURATION,
        orders: CurrentOrderReader,
      },
      ({ configuration, ...ports }) => ({
        ...ports,
        get payerMs() {
          return configuration.threeDSecure.payerMs;
        },
      }),
    ),
  ],
  exports: [SenderVerifier, IdempotencyKeys, ORDER_INTAKE, OrderQueriesModule, RequestModule],
})
export class MerchantApiModule {}

@Module({
  imports: [MerchantApiModule, OrdersModule],
  controllers: [FollowUpController],
  providers: [made(FollowUpTranslations, { handler: RequestFollowUpHandler, orders: CurrentOrderReader })],
})
export class FollowUpApiModule {}

@Module({
  imports: [MerchantApiModule],
  controllers: [OrderStatusController],
  providers: [
    made(NextChange, { clock: CLOCK, scheduler: SCHEDULER }),
    made(OrderStatusAnswer, { sealer: CARD_VAULT, accounts: ACCOUNTS, pages: PayerPages }),
    built(OrderStatusTranslation, CurrentOrderReader, OrderStatusAnswer, NextChange),
  ],
})
export class OrderStatusApiModule {}
