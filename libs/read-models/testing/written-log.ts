import {
  eventId,
  hashOf,
  metadataWriter,
  type AnyEvent,
  type EventStore,
  type NewEvent,
  type Revision,
  type StoredEvent,
  type StreamName,
} from '@app/event-store';
import { addMs, type Instant } from '@app/kernel';
import { isEventOf } from '@app/orders/events';
import type { WorkChange } from '@app/event-store';
import type { Decode, LogEvent } from '../engine/log-event';
import type { OpenWorkDefinition } from '../work/open-work.table';
import type { OrderEvent } from '../order-status/order-status.fold';
import type { ReadModel } from '../read-model';
import type { Story } from './order-life';
import { ACME, START } from './sample-orders';

const BIGINT = /^-?\d+n$/;

const textOf = (data: object): string => JSON.stringify(data, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));

export const decode: Decode = ({ type, data }) => ({
  type,
  data: JSON.parse(data, (_, value: unknown) =>
    typeof value === 'string' && BIGINT.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as object,
});

const newEvent = (
  { stream, merchant = ACME, actor = 'merchant' }: Story,
  revision: number,
  event: AnyEvent,
  before: NewEvent | undefined,
): NewEvent => {
  const commandId = String(revision);
  const recordedAt = addMs(START, revision * 10);
  const correlation = `00000000-0000-0000-0000-${revision.toString(16).padStart(12, '0')}`;
  const envelope = { correlation, causation: correlation, actor, merchant, commandId, recordedAt };
  const metadata = metadataWriter(envelope, stream)(before === undefined ? null : hashOf(before), 1);
  return { id: eventId(stream, commandId, 0), type: event.type, data: textOf(event.data), metadata };
};

const newEvents = (story: Story): readonly NewEvent[] => {
  const made: NewEvent[] = [];
  for (const [index, event] of story.events.entries()) made.push(newEvent(story, index, event, made[index - 1]));
  return made;
};

const append = async (store: EventStore, stream: StreamName, revision: number, event: NewEvent): Promise<void> => {
  const expected = revision === 0 ? 'no_stream' : (BigInt(revision - 1) as Revision);
  const result = await store.append(stream, expected, [event]);
  if (result.kind !== 'appended') throw new Error(`${stream} revision ${revision}: ${result.kind}`);
};

export const writeStories = async (store: EventStore, stories: readonly Story[], choices: readonly number[] = []): Promise<void> => {
  const open = stories
    .map((story) => ({ stream: story.stream, events: newEvents(story), next: 0 }))
    .filter(({ events }) => events.length > 0);
  for (let turn = 0; open.length > 0; turn++) {
    const index = (choices[turn % Math.max(choices.length, 1)] ?? 0) % open.length;
    const story = open[index];
    const event = story?.events[story.next];
    if (story === undefined || event === undefined) throw new Error('a story without a next event');
    await append(store, story.stream, story.next, event);
    story.next += 1;
    if (story.next === story.events.length) open.splice(index, 1);
  }
};

export const wholeLog = async (store: EventStore, categories: readonly string[]): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  const subscription = store.subscribe(categories, 'start');
  for await (const item of subscription) {
    if (item.kind === 'caught-up') break;
    if (item.kind === 'event') events.push(item.event);
  }
  await subscription.cancel();
  return events;
};

const inquiryAt = (at: Instant): Instant => addMs(at, 1_000);

export const orderWork: OpenWorkDefinition = {
  name: 'orders',
  categories: ['payment', 'recurring'],
  shape: 1,
  fold: ({ stream, event, metadata }: LogEvent): readonly WorkChange[] => {
    const order = event as OrderEvent;
    const due = (task: string, dueAt: Instant): readonly WorkChange[] => [
      { kind: 'due', item: { key: stream, stream, task, dueAt, merchant: ACME, lane: `${metadata.merchant}/gate` } },
    ];
    if (order.type === 'OrderAccepted') return due('submit', order.data.acceptedAt);
    if (order.type === 'NextAttemptChosen') return due('go-on', order.data.chosenAt);
    if (order.type === 'AttemptStarted') return due('inquire', inquiryAt(order.data.startedAt));
    if (order.type === 'PayerChallenged') return due('decline-absent-payer', order.data.payerDueAt);
    if (order.type === 'PayerReturned') return due('inquire', inquiryAt(order.data.returnedAt));
    return isEventOf(order, 'end') ? [{ kind: 'done', key: stream }] : [];
  },
};

/** Projects everything that the log contains. */
export const projectWholeLog = async (model: Pick<ReadModel, 'apply' | 'categories'>, log: EventStore): Promise<void> => {
  await model.apply(await wholeLog(log, model.categories), await log.head());
};
