import { Observable } from 'rxjs';
import type { EventStore, Position, SubscriptionItem } from '../core/port';

/**
 * The log as it grows, for who watches it: a live view filters, maps and shares it with RxJS. Each observer has a session of its own, which ends with
 * the last unsubscribe and fails as the session does. It keeps no place: what must not miss an event is a projection (`SubscriptionRunner`).
 */
export const observedLog = (
  store: Pick<EventStore, 'subscribe'>,
  categories: readonly string[] | 'all',
  after: Position | 'start',
): Observable<SubscriptionItem> =>
  new Observable((observer) => {
    const session = store.subscribe(categories, after);
    const hand = async (): Promise<void> => {
      for await (const item of session) observer.next(item);
      observer.complete();
    };
    hand().catch((error: unknown) => observer.error(error));
    return () => void session.cancel();
  });
