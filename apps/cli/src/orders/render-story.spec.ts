import type { AnyEvent, StoredEvent } from '@app/event-store';
import { afterAcceptance, attemptEvents, finalEvents, sampleOrder } from '@app/testing';
import { paintFor } from '../terminal';
import { renderTimeline, timelineOf } from './render-story';
import type { StoryEvent } from './story';

const metadata = (ms: number): string => JSON.stringify({ recordedAt: afterAcceptance(ms) });
const stored = (type: string, ms: number, stream = 'payment-x'): StoredEvent =>
  ({ type, stream, metadata: metadata(ms) }) as unknown as StoredEvent;
const storyEvent = (event: AnyEvent, ms: number): StoryEvent => ({ stored: stored(event.type, ms), isReadable: true, event });

const story: readonly StoryEvent[] = [
  storyEvent({ type: 'OrderAccepted', data: sampleOrder() }, 0),
  storyEvent(attemptEvents.started(), 12),
  storyEvent(attemptEvents.approved(), 1_200),
  storyEvent(finalEvents.approved(), 1_200),
];

it('shows time, gap, stream and description on one line per event', () => {
  expect(renderTimeline(timelineOf(story), paintFor(false))).toStrictEqual([
    '2024-01-01 00:00:00.000Z  +0.000 s  order  order accepted   sale of 10.42 USD, endpoint 1001, card 444455…1111 VISA 12/2030, at sim-a, customer and details [sealed]',
    '2024-01-01 00:00:00.012Z  +0.012 s  order  attempt 1 begun  gate sim-a, 10.42 USD, recorded before the gate is called',
    '2024-01-01 00:00:01.200Z  +1.200 s  order  gate approved    transaction PNTEST-1, approval code A1B2C3',
    '2024-01-01 00:00:01.200Z  +1.200 s  order  order approved   10.42 USD, receipt receipt0of0the0sample0ab',
  ]);
});

it('renders the same text in colour once the colour codes are removed', () => {
  const coloured = renderTimeline(timelineOf(story), paintFor(true));
  const ESCAPE = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
  expect(coloured.join('\n')).toMatch(ESCAPE);
  expect(coloured.map((line) => line.replace(ESCAPE, ''))).toStrictEqual(renderTimeline(timelineOf(story), paintFor(false)));
});

it('keeps a line for an event that this release cannot read', () => {
  const unreadable: StoryEvent = { stored: stored('OrderReconciled', 90), isReadable: false, problem: 'no type of category payment' };
  const lines = renderTimeline(timelineOf([...story.slice(0, 2), unreadable]), paintFor(false));
  expect(lines[2]).toBe(
    '2024-01-01 00:00:00.090Z  +0.090 s  order  OrderReconciled  this release cannot read it: no type of category payment',
  );
});

it("names the owner of an event's stream", () => {
  const places = ['payment-x', 'recurring-x', 'cardReference-x', 'delivery-x'].map((stream): StoryEvent => ({
    stored: stored('Some', 0, stream),
    isReadable: false,
    problem: 'test',
  }));
  expect(timelineOf(places).map(({ place }) => place)).toStrictEqual(['order', 'order', 'card', 'callback']);
});

it('returns no lines for an order without events', () => {
  expect(renderTimeline([], paintFor(false))).toStrictEqual([]);
});
