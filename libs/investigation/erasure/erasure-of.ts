import { readChained, type EventStore } from '@app/event-store';
import { evolve, NOTHING_ERASED, type Erasure } from './domain/erasure.state';
import { erasureCodec } from './erasure.codec';
import { erasureStream } from './erasure.stream';

/** What of an order was erased and whether it is held, as the log has it; for readers beside the service too. @throws BrokenChain, StoreUnavailable */
export const erasureOf = async (log: Pick<EventStore, 'read'>, orderStream: string): Promise<Erasure> => {
  let state = NOTHING_ERASED;
  for await (const stored of readChained(log, erasureStream(orderStream))) state = evolve(state, erasureCodec.decode(stored));
  return state;
};
