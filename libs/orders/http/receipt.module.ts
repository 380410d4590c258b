import { All, Controller, Get, HttpStatus, Inject, Param, Module } from '@nestjs/common';
import { messagePage, RECEIPT_POLICY, receiptPage } from '@app/gateway-protocol';
import { HttpReply } from '@app/http/server';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { RequestDeadlines } from '@app/event-store';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { provide, SCHEDULER, token } from '@app/kernel/injection';
import { CurrentOrderReader } from '@app/read-models/queries';
import { OrderQueriesModule } from '@app/read-models/queries/order-queries.module';
import { ORDER_SEARCH } from '@app/read-models';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { Receipts } from './receipts';

/** The trailing slash is part of the documented address, and optional (protocol decisions, D1.2). */
const PATH = ':endpointId/:receiptId{/}';
const NOT_FOUND_PAGE = messagePage({
  title: 'Not found',
  message: 'There is no such receipt. Ask the shop for the link to your receipt.',
});
const UNAVAILABLE_PAGE = messagePage({
  title: 'Receipt',
  message: 'The receipt is not available at the moment.',
  link: { href: '', text: 'Reload' },
});

@Controller('view-receipt')
class ReceiptController {
  constructor(@Inject(Receipts) private readonly receipts: Receipts) {}

  @Get(PATH)
  async show(@Param('endpointId') endpointId: string, @Param('receiptId') receiptId: string): Promise<HttpReply> {
    const receipt = await this.receipts.find(endpointId, receiptId);
    if (receipt === 'unknown') return HttpReply.page(HttpStatus.NOT_FOUND, NOT_FOUND_PAGE, RECEIPT_POLICY);
    if (receipt === 'unavailable') return HttpReply.page(HttpStatus.SERVICE_UNAVAILABLE, UNAVAILABLE_PAGE, RECEIPT_POLICY);
    return HttpReply.page(HttpStatus.OK, receiptPage(receipt), RECEIPT_POLICY);
  }

  @All(PATH)
  otherMethod(): HttpReply {
    return HttpReply.methodNotAllowed('GET');
  }
}

interface ReceiptListener {
  /** A receipt could not be shown; the page itself does not name the cause. */
  failed(error: unknown): void;
}
export const RECEIPT_LISTENER = token<ReceiptListener>('RECEIPT_LISTENER');

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
        listener: RECEIPT_LISTENER,
      },
      ({ readModel, listener, ...ports }) =>
        new Receipts({
          ...ports,
          search: readModel.search,
          searchedUpTo: async () => (await readModel.health()).find(({ projection }) => projection === ORDER_SEARCH)?.position,
          onError: (error) => listener.failed(error),
        }),
    ),
  ],
})
export class ReceiptModule {}
