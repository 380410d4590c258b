import { formatAmount } from '@app/kernel';
import { categoryOf, metadataOf, type AnyEvent } from '@app/event-store';
import { EVENT_CODECS } from '../../../orchestrator/src/composition/event-codecs';
import { concealSealed } from '../timeline/conceal-sealed';
import { instantText } from '../timeline/instant-text';
import { renderTimeline, timelineOf } from '../timeline/timeline';
import type { Paint, Tone } from '../terminal/paint';
import { printable } from '../terminal/printable';
import type { OrderStory } from './order-story';

const TONES: Readonly<Record<string, Tone>> = { approved: 'good', declined: 'bad', error: 'bad', filtered: 'bad' };

/** For people: what the order is, how it stands, and its events in words. */
export const renderStory = ({ stream, view, events }: OrderStory, paint: Paint): readonly string[] => {
  const head =
    view === undefined
      ? [`order of stream ${stream}`, 'its state cannot be told: an event is of a release that this one does not know']
      : [
          `order ${paint('strong', view.orderId)}, merchant ${view.merchant}, client_orderid ${printable(view.clientOrderId)}`,
          `${formatAmount(BigInt(view.amountMinor))} ${view.currency}, ${paint(TONES[view.status] ?? 'waiting', view.status)} (${view.stage}), stream ${stream}`,
        ];
  return [...head, '', ...renderTimeline(timelineOf(events), paint)];
};

const FIELDS = new Map(EVENT_CODECS.flatMap((codec) => codec.describe()).map((entry) => [`${entry.category}.${entry.type}`, entry.fields]));

/** For programs: the same, with the events' data but what is sealed. */
export const storyAsData = ({ stream, view, events }: OrderStory): object => ({
  stream,
  ...(view !== undefined && {
    orderId: view.orderId,
    merchant: view.merchant,
    clientOrderId: view.clientOrderId,
    status: view.status,
    stage: view.stage,
    amount: formatAmount(BigInt(view.amountMinor)),
    currency: view.currency,
  }),
  events: events.map((one) => {
    const { stored } = one;
    const { recordedAt, correlation, causation, actor } = metadataOf(stored);
    const { stream: place, revision, id, type } = stored;
    const told = one.isReadable ? { data: dataOf(place, one.event) } : { problem: one.problem };
    return { at: instantText(recordedAt), stream: place, revision, id, type, correlation, causation, actor, ...told };
  }),
});

const dataOf = (stream: OrderStory['stream'], { type, data }: AnyEvent): unknown =>
  concealSealed(data, FIELDS.get(`${categoryOf(stream)}.${type}`) ?? []);
