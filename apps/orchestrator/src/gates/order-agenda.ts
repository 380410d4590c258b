import type { Clock } from '@app/kernel';
import type { OpenWork, StreamName } from '@app/event-store';
import type { OrderAgenda } from '@app/orders';
import type { ProjectionNews } from '../monitoring/order-log';

/** Items of one order: itself and its follow-ups; of any beyond them the time stays as it is. */
const ITEMS_MAX = 32;

/**
 * The agenda in the read model, which the workers of every process read: one of this process at once, one of another within its next look. What an item
 * is really due for is found in the order's stream.
 */
export class SharedOrderAgenda implements OrderAgenda {
  constructor(
    private readonly work: Pick<OpenWork, 'list' | 'postpone'>,
    private readonly clock: Clock,
    private readonly news: Pick<ProjectionNews, 'arrived'>,
  ) {}

  async dueNow(stream: StreamName): Promise<void> {
    const now = this.clock.now();
    // In the order of keys: the order's own is its stream's name, and those of its follow-ups begin with it.
    const listed = await this.work.list({ limit: ITEMS_MAX, after: stream.slice(0, -1) });
    const later = listed.filter((item) => item.stream === stream && item.dueAt > now);
    for (const item of later) await this.work.postpone(item, now);
    if (later.length > 0) this.news.arrived();
  }
}
