import { datedEvents, eventsAsOf, orderHistory, type DatedEvent, type Moment } from '@app/investigation';
import { UndecodableEvent, type StreamName } from '@app/event-store';
import { CommandFailed, EXIT } from '../command-failed';
import type { EventLogReader } from '../service/event-log';
import { isoText } from '../order/instant-text';

/** All events of an order, dated. @throws CommandFailed for one that this release cannot read; BrokenChain */
export const readHistory = async (log: EventLogReader, stream: StreamName): Promise<readonly DatedEvent[]> => {
  try {
    return datedEvents(await orderHistory(log, stream));
  } catch (error) {
    if (error instanceof UndecodableEvent) throw new CommandFailed(`its past cannot be told: ${error.message}`);
    throw error;
  }
};

/** The events that count at a moment. @throws CommandFailed where the order has no such version, or was not there yet */
export const countedAt = (history: readonly DatedEvent[], moment: Moment | undefined): readonly DatedEvent[] => {
  if (moment === undefined) return history;
  const [first, last] = [history[0], history.at(-1)];
  if (first === undefined || last === undefined) throw new CommandFailed('the order has no events', EXIT.notFound);
  if (moment.kind === 'version' && moment.version > last.logEvent.revision) {
    throw new CommandFailed(`the order has no revision ${moment.version}: its last is ${last.logEvent.revision}`, EXIT.notFound);
  }
  const counted = eventsAsOf(history, moment);
  if (counted.length > 0) return counted;
  throw new CommandFailed(`there was no such order yet: it was accepted at ${isoText(first.knownAt)}`, EXIT.notFound);
};
