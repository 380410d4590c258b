import type { Scheduler } from '@app/kernel';
import type { EventStore, RequestDeadlines } from '@app/event-store';
import type { Accounts } from '@app/configuration';
import { ORDER_SEARCH, type ReadModel } from '@app/projections';
import { Receipts } from './receipts';
import type { CurrentOrderReader } from '@app/order-queries';

export interface ReceiptWorld {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly orders: CurrentOrderReader;
  readonly accounts: Accounts;
  readonly scheduler: Scheduler;
  readonly deadlines: RequestDeadlines;
  readonly onError: (error: unknown) => void;
}

export const receipts = ({ store, readModel, orders, accounts, scheduler, deadlines, onError }: ReceiptWorld): Receipts =>
  new Receipts({
    accounts,
    search: readModel.search,
    searchedUpTo: async () => (await readModel.health()).find(({ projection }) => projection === ORDER_SEARCH)?.position,
    log: store,
    orders,
    scheduler,
    deadlines,
    onError,
  });
