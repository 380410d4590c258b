import { datedEvents, orderState, viewAfter, type DatedEvent, type Moment, type OrderState } from '@app/investigation';
import { metadataOf } from '@app/event-store';
import { logEventOf, type OrderEvent } from '@app/read-models';
import { CommandFailed } from '../command-failed';
import type { OrderStory } from './order-story';
import { endOf } from './render-story';
import { countedAt } from '../audit/order-history';

/** An order's story as of a moment: its own events that count then, and what its references and deliveries had on record by then. */
export interface StoryAsOf {
  readonly moment: Moment;
  readonly story: OrderStory;
  readonly state: OrderState;
  readonly events: number;
  /** The events that the order has by now. */
  readonly eventsNow: number;
}

const ownEvents = ({ stream, events, breaks }: OrderStory): readonly DatedEvent[] => {
  const broken = breaks.find(({ event }) => event.stream === stream);
  if (broken !== undefined) throw new CommandFailed(`its past cannot be told: ${endOf(broken)}`);
  const own = events.filter(({ stored }) => stored.stream === stream);
  return datedEvents(
    own.map((one) => {
      if (!one.isReadable) throw new CommandFailed(`its past cannot be told: this release cannot read an event: ${one.problem}`);
      // Its category is that of an order.
      return logEventOf(one.stored, one.event as OrderEvent);
    }),
  );
};

/** @throws CommandFailed where it was not there yet, has no such version, or its past cannot be told */
export const storyAsOf = (story: OrderStory, moment: Moment): StoryAsOf => {
  const own = ownEvents(story);
  const counted = countedAt(own, moment);
  const view = viewAfter(counted);
  const last = counted.at(-1);
  if (view === undefined || last === undefined) throw new CommandFailed('the order has no events');
  const ids = new Set<string>(counted.map(({ logEvent }) => logEvent.id));
  const until = moment.kind === 'version' ? last.knownAt : moment.at;
  const events = story.events.filter(({ stored }) =>
    stored.stream === story.stream ? ids.has(stored.id) : metadataOf(stored).recordedAt <= until,
  );
  return { moment, story: { ...story, view, events }, state: orderState(view), events: counted.length, eventsNow: own.length };
};
