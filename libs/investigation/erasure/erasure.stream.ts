import { streamName, type StreamName } from '@app/event-store';

export const ERASURE_CATEGORY = 'erasure';

/** One stream for each order, named by the order's own: holds and erasures of it exclude each other by exact revision. */
export const erasureStream = (orderStream: string): StreamName => streamName(ERASURE_CATEGORY, orderStream);
