import { formatAmount, type Instant, type Sealed } from '@app/kernel';
import { categoryOf, metadataOf, type AnyEvent, type BrokenChain } from '@app/event-store';
import { EVENT_CODECS } from '@app/read-models/queries';
import { concealSealed, ERASED } from '@app/investigation';
import { erasureAsJson } from '@app/investigation/erasure';
import { type EventWords, eventWords, type TrailEvent } from '@app/investigation/words';
import { isoText, instantText } from './moments';
import { type Paint, type Tone, printable } from '../terminal';
import { erasureLines, type IsErased, nothingErased, type OrderStory, type StoryEvent } from './story';
import { agreementOf, type UpstreamOrder } from './upstream';

interface TimelineEntry {
  readonly at: Instant;
  readonly place: string;
  readonly description: EventWords;
}

const PLACES: Readonly<Record<string, string>> = { cardReference: 'card', delivery: 'callback', erasure: 'erasure' };

export const timelineOf = (story: readonly StoryEvent[], isErased: IsErased = nothingErased): readonly TimelineEntry[] =>
  story.map((one) => {
    const { stored } = one;
    const category = categoryOf(stored.stream);
    const description: EventWords = one.isReadable
      ? // Unreachable: the codecs of these categories made the events.
        eventWords({ type: one.event.type, data: dataOf(stored.stream, one.event, isErased) } as TrailEvent)
      : { title: stored.type, facts: [`this release cannot read it: ${one.problem}`], tone: 'bad' };
    return { at: metadataOf(stored).recordedAt, place: PLACES[category] ?? 'order', description };
  });

/** Negative if two machines' clocks differ. */
const secondsText = (ms: number): string => `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1_000).toFixed(3)} s`;

/**
 * One line per event: time, offset, place, title and facts, in aligned columns.
 * @param from start of the offsets; the first event's time if absent
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

const TONES: Readonly<Record<string, Tone>> = { approved: 'good', declined: 'bad', error: 'bad', filtered: 'bad' };

/**
 * Renders an order's data, state and events, for people.
 * @param from start of the events' time offsets; the first event's time if absent
 */
export const renderStory = (
  { stream, view, events, breaks, erasure, isErased }: OrderStory,
  paint: Paint,
  from?: Instant,
): readonly string[] => {
  const unknown = breaks.length > 0 ? 'the log was changed or damaged' : 'an event is of a release that this one does not know';
  const head =
    view === undefined
      ? [`order of stream ${stream}`, `its state is unknown: ${unknown}`]
      : [
          `order ${paint('strong', view.orderId)}, merchant ${view.merchant}, client_orderid ${printable(view.clientOrderId)}`,
          `${formatAmount(BigInt(view.amountMinor))} ${view.currency}, ${paint(TONES[view.status] ?? 'waiting', view.status)} (${view.stage}), stream ${stream}`,
        ];
  return [
    ...head,
    ...erasureLines(erasureAsJson(erasure)),
    '',
    ...renderTimeline(timelineOf(events, isErased), paint, from),
    ...breaks.map((broken) => paint('bad', endOf(broken))),
  ];
};

export const renderUpstreamOrder = (
  { gate, attempt, standing, clientOrderId, story }: UpstreamOrder,
  here: Pick<OrderStory, 'events'>,
  paint: Paint,
): readonly string[] => {
  const { text, tone } = agreementOf(standing, story?.view?.status);
  const head = `attempt ${attempt} at ${gate}, there under client_orderid ${clientOrderId}: ${paint(tone, text)}`;
  const [first] = here.events;
  const from = first && metadataOf(first.stored).recordedAt;
  return story === undefined ? [head] : [head, ...renderStory(story, paint, from).map((line) => (line === '' ? '' : `  ${line}`))];
};

export const upstreamOrderAsData = ({ gate, attempt, standing, clientOrderId, story }: UpstreamOrder): object => ({
  gate,
  attempt,
  standing,
  clientOrderId,
  order: story === undefined ? null : storyAsData(story),
});

export const endOf = ({ event, fault, isOfTwo }: BrokenChain): string => {
  const first = isOfTwo && event.revision > 0n ? event.revision - 1n : event.revision;
  return `${event.stream} is sound before revision ${first}, and no further: of revision ${event.revision}, ${fault}`;
};

const FIELDS = new Map(EVENT_CODECS.flatMap((codec) => codec.describe()).map((entry) => [`${entry.category}.${entry.type}`, entry.fields]));

export const storyAsData = ({ stream, view, events, breaks, erasure, isErased }: OrderStory): object => ({
  stream,
  ...(breaks.length > 0 && { broken: breaks.map(({ event, fault }) => ({ stream: event.stream, revision: event.revision, fault })) }),
  ...(view !== undefined && {
    orderId: view.orderId,
    merchant: view.merchant,
    clientOrderId: view.clientOrderId,
    status: view.status,
    stage: view.stage,
    amount: formatAmount(BigInt(view.amountMinor)),
    currency: view.currency,
  }),
  ...(erasureAsJson(erasure) !== undefined && { erasure: erasureAsJson(erasure) }),
  events: events.map((one) => {
    const { stored } = one;
    const { recordedAt, correlation, causation, actor, claimedActor } = metadataOf(stored);
    const { stream: place, revision, id, type } = stored;
    const content = one.isReadable ? { data: dataOf(place, one.event, isErased) } : { problem: one.problem };
    const by = { actor, ...(claimedActor !== undefined && { claimedActor }) };
    return { at: isoText(recordedAt), stream: place, revision, id, type, correlation, causation, ...by, ...content };
  }),
});

const dataOf = (stream: OrderStory['stream'], { type, data }: AnyEvent, isErased: IsErased): unknown =>
  concealSealed(data, FIELDS.get(`${categoryOf(stream)}.${type}`) ?? [], {
    get: (sealed) => (isErased(sealed as Sealed) ? ERASED : undefined),
  });
