import type { Instant } from '@app/kernel';
import { categoryOf, metadataOf } from '@app/event-store';
import type { Paint } from '../terminal/paint';
import { describeEvent, nothingErased, type EventDescription, type IsErased } from './event-description';
import { instantText } from './instant-text';
import type { StoryEvent, TimelineEvent } from './timeline-event';

export interface TimelineEntry {
  readonly at: Instant;
  /** The owner of the event's stream. */
  readonly place: string;
  readonly description: EventDescription;
}

const PLACES: Readonly<Record<string, string>> = { cardReference: 'card', delivery: 'callback', erasure: 'erasure' };

export const timelineOf = (story: readonly StoryEvent[], isErased: IsErased = nothingErased): readonly TimelineEntry[] =>
  story.map((one) => {
    const { stored } = one;
    const category = categoryOf(stored.stream);
    const description: EventDescription = one.isReadable
      ? // The categories' codecs made these events: no other types reach this.
        describeEvent(one.event as TimelineEvent, isErased)
      : { title: stored.type, facts: [`this release cannot read it: ${one.problem}`], tone: 'bad' };
    return { at: metadataOf(stored).recordedAt, place: PLACES[category] ?? 'order', description };
  });

/** Below zero where two machines' clocks differ. */
const secondsText = (ms: number): string => `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1_000).toFixed(3)} s`;

/**
 * One line an event: when, how long after the first, where, what happened, and its facts; columns as wide as they must be.
 * @param from counted from there instead of the first
 */
export const renderTimeline = (entries: readonly TimelineEntry[], paint: Paint, from = entries[0]?.at): readonly string[] => {
  if (from === undefined) return [];
  const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));
  const offsets = entries.map(({ at }) => secondsText(at - from));
  const offsetWidth = widest(offsets);
  const placeWidth = widest(entries.map(({ place }) => place));
  const titleWidth = widest(entries.map(({ description }) => description.title));
  return entries.map(({ at, place, description: { title, facts, tone } }, index) =>
    [
      paint('faint', instantText(at)),
      paint('faint', (offsets[index] ?? '').padStart(offsetWidth)),
      place.padEnd(placeWidth),
      paint(tone, title.padEnd(titleWidth)),
      facts.join(', '),
    ].join('  '),
  );
};
