import type { Clock } from '@app/kernel';
import type { OpenWork, StreamName } from '@app/event-store';
import type { OrderAgenda } from '@app/orders';
import type { ProjectionSignal } from '../monitoring/order-log';

/** An order and its follow-ups; further items keep their time. */
const ITEMS_MAX = 32;

/** Schedules inquiries through the read model, which the workers of every process read. */
export class SharedOrderAgenda implements OrderAgenda {
  constructor(
    private readonly work: Pick<OpenWork, 'list' | 'postpone'>,
    private readonly clock: Clock,
    private readonly news: Pick<ProjectionSignal, 'arrived'>,
  ) {}

  async dueNow(stream: StreamName): Promise<void> {
    const now = this.clock.now();
    // Keys are sorted: the order's key is its stream name, and the keys of its follow-ups begin with it.
    const listed = await this.work.list({ limit: ITEMS_MAX, after: stream.slice(0, -1) });
    const later = listed.filter((item) => item.stream === stream && item.dueAt > now);
    for (const item of later) await this.work.postpone(item, now);
    if (later.length > 0) this.news.arrived();
  }
}
