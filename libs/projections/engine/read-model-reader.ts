import type { Position } from '@app/event-store';
import { CardReferenceQueries } from '../read-models/card-reference/card-reference.queries';
import { cardReferenceProjection } from '../read-models/card-reference/card-reference.table';
import type { ReadModelPlace } from './database/database';
import { openReads } from './database/open-database';
import { mending, type Truth } from './mending/mending';
import { OrderSearchQueries } from '../read-models/order-search/order-search.queries';
import { orderSearchProjection } from '../read-models/order-search/order-search.table';
import { OperatorOrderQueries } from '../read-models/order-status/operator-orders.queries';
import { OrderStatusQueries } from '../read-models/order-status/order-status.queries';
import { orderStatusProjection } from '../read-models/order-status/order-status.table';
import { Reader } from './reader';
import { projectionStates } from './register';

/** The read models without their pen: what other processes may ask beside the one that projects (architecture, "Stores"). */
export interface ReadModelReader {
  readonly orders: OrderStatusQueries;
  readonly cardReferences: CardReferenceQueries;
  readonly search: OrderSearchQueries;
  readonly operatorOrders: OperatorOrderQueries;
  /** What the log holds up to here is in the rows; undefined while the projection has never been built. */
  checkpoint(projection: string): Promise<Position | undefined>;
  close(): Promise<void>;
}

/** Nothing is written, nor made: a row that rotted is answered from its stream, and left as it is. @throws Error where there is nothing to read, or it cannot be used */
export const openReadModelReader = async (place: ReadModelPlace, truth?: Truth): Promise<ReadModelReader> => {
  const database = await openReads(place);
  const { reads: db, close } = database;
  const shapes = [orderStatusProjection, cardReferenceProjection, orderSearchProjection].map(({ name, shape }) => [name, shape] as const);
  const reader = new Reader(database, new Map(shapes));
  const mend = truth && mending(truth);
  return {
    orders: new OrderStatusQueries(reader, mend),
    cardReferences: new CardReferenceQueries(reader, mend),
    search: new OrderSearchQueries(reader),
    operatorOrders: new OperatorOrderQueries(reader, mend),
    checkpoint: async (projection) => (await projectionStates(db)).get(projection)?.position,
    close,
  };
};
