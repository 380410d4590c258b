import type { Position } from '@app/event-store';
import { openDatabase } from '@app/sqlite';
import { Kysely } from 'kysely';
import { CardReferenceQueries } from './card-reference/card-reference.queries';
import { cardReferenceProjection } from './card-reference/card-reference.table';
import { kyselyDialect } from './kysely-dialect';
import { OrderStatusQueries } from './order-status/order-status.queries';
import { orderStatusProjection } from './order-status/order-status.table';
import { Reader } from './reader';
import { projectionStates } from './register';
import type { ReadModelTables } from './tables';

/** The read models without their pen: what other processes may ask beside the one that projects (architecture, "Stores"). */
export interface ReadModelReader {
  readonly orders: OrderStatusQueries;
  readonly cardReferences: CardReferenceQueries;
  /** What the log holds up to here is in the rows; undefined while the projection has never been built. */
  checkpoint(projection: string): Promise<Position | undefined>;
  close(): Promise<void>;
}

/** @param path of the SQLite file. @throws Error where there is none yet */
export const openReadModelReader = (path: string): ReadModelReader => {
  const db = new Kysely<ReadModelTables>({ dialect: kyselyDialect(openDatabase(path, { readOnly: true })) });
  const shapes = [orderStatusProjection, cardReferenceProjection].map(({ name, shape }) => [name, shape] as const);
  const reader = new Reader(db, new Map(shapes));
  return {
    orders: new OrderStatusQueries(reader),
    cardReferences: new CardReferenceQueries(reader),
    checkpoint: async (projection) => (await projectionStates(db)).get(projection)?.position,
    close: () => db.destroy(),
  };
};
