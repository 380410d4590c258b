import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { RequestDeadlines } from '@app/event-store';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { provide, SCHEDULER, token } from '@app/kernel/injection';
import { CurrentOrderReader } from '@app/read-models/queries';
import { OrderQueriesModule } from '@app/read-models/queries/order-queries.module';
import { ORDER_SEARCH } from '@app/read-models';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { ReceiptController } from './receipt.controller';
import { Receipts } from './receipts';

/** Observes failures of receipts, for the log. */
export interface ReceiptWatch {
  /** A receipt could not be shown; the page itself does not name the cause. */
  failed(error: unknown): void;
}
export const RECEIPT_WATCH = token<ReceiptWatch>('RECEIPT_WATCH');

/** The printable receipts of approved orders. */
@Module({
  imports: [OrderQueriesModule],
  controllers: [ReceiptController],
  providers: [
    provide(
      Receipts,
      {
        accounts: ACCOUNTS,
        readModel: READ_MODEL,
        log: REQUEST_EVENT_STORE,
        orders: CurrentOrderReader,
        sealer: CARD_VAULT,
        scheduler: SCHEDULER,
        deadlines: RequestDeadlines,
        watch: RECEIPT_WATCH,
      },
      ({ readModel, watch, ...ports }) =>
        new Receipts({
          ...ports,
          search: readModel.search,
          searchedUpTo: async () => (await readModel.health()).find(({ projection }) => projection === ORDER_SEARCH)?.position,
          onError: (error) => watch.failed(error),
        }),
    ),
  ],
})
export class ReceiptModule {}
