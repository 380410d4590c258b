import { Observable } from 'rxjs';
import type { EventStore, Position, SubscriptionItem } from '../core/port';

/**
 * The live log for RxJS observers. Each observer has a separate session, which ends with its last unsubscribe. It stores no position: use
 * `SubscriptionRunner` if no event may be missed.
 * @param prepare is awaited before the next item is read, so that no items wait in memory
 */
export const observedLog = <Item = SubscriptionItem>(
  store: Pick<EventStore, 'subscribe'>,
  categories: readonly string[] | 'all',
  after: Position | 'start',
  prepare: (item: SubscriptionItem) => Promise<Item> | Item = (item) => item as Item,
): Observable<Item> =>
  new Observable((observer) => {
    const session = store.subscribe(categories, after);
    const hand = async (): Promise<void> => {
      for await (const item of session) observer.next(await prepare(item));
      observer.complete();
    };
    hand().catch((error: unknown) => observer.error(error));
    return () => void session.cancel();
  });
