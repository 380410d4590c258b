import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { RequestDeadlines, type StreamName } from '@app/event-store';
import { provide, SCHEDULER, token } from '@app/injection';
import { ReturnPayer } from '@app/order-processing';
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { CurrentOrderReader } from '@app/order-queries';
import { OrderQueriesModule } from '@app/order-queries/order-queries.module';
import type { OrderStatusView } from '@app/projections';
import { PayerController } from './payer.controller';
import { PayerJourney, type PayerPassage } from './payer-journey';

/** Observes the payer's pages, for metrics and the log. */
export interface PayerWatch {
  /** A page could not be shown, or the payer's return could not be recorded. @param stream of the order, where it is known */
  failed(error: unknown, stream?: StreamName): void;
  served(passage: PayerPassage, order: Pick<OrderStatusView, 'merchant' | 'endpointId' | 'orderId'>): void;
}
export const PAYER_WATCH = token<PayerWatch>('PAYER_WATCH');

/** The payer's pages of 3-D Secure. */
@Module({
  imports: [OrderProcessingModule, OrderQueriesModule],
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
        watch: PAYER_WATCH,
      },
      ({ watch, ...ports }) =>
        new PayerJourney({
          ...ports,
          onError: (error, stream) => watch.failed(error, stream),
          onPassage: (passage, order) => watch.served(passage, order),
        }),
    ),
  ],
})
export class PayerModule {}
