import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { RequestDeadlines, type StreamName } from '@app/event-store';
import { provide, SCHEDULER, token } from '@app/kernel/injection';
import { CurrentOrderReader } from '@app/read-models/queries';
import { OrderQueriesModule } from '@app/read-models/queries/order-queries.module';
import type { OrderStatusView } from '@app/read-models';
import { ReturnPayer } from '../../application/work/return-payer';
import { OrdersModule } from '../../orders.module';
import { PayerController } from './payer.controller';
import { PayerJourney, type PayerPassage } from './payer-journey';

export interface PayerListener {
  /** A page could not be shown, or the payer's return could not be recorded. @param stream of the order, if known */
  failed(error: unknown, stream?: StreamName): void;
  served(passage: PayerPassage, order: Pick<OrderStatusView, 'merchant' | 'endpointId' | 'orderId'>): void;
}
export const PAYER_LISTENER = token<PayerListener>('PAYER_LISTENER');

@Module({
  imports: [OrdersModule, OrderQueriesModule],
  controllers: [PayerController],
  providers: [
    provide(
      PayerJourney,
      {
        orders: CurrentOrderReader,
        returnPayer: ReturnPayer,
        sealer: CARD_VAULT,
        accounts: ACCOUNTS,
        scheduler: SCHEDULER,
        deadlines: RequestDeadlines,
        listener: PAYER_LISTENER,
      },
      ({ listener, ...ports }) =>
        new PayerJourney({
          ...ports,
          onError: (error, stream) => listener.failed(error, stream),
          onPassage: (passage, order) => listener.served(passage, order),
        }),
    ),
  ],
})
export class PayerModule {}
