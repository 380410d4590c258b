import { metadataWriter, type AnyEvent, type EventStore, type StoredEvent, type StreamName, type WorkChange } from '@app/event-store';
import type { OpenWorkFixture } from '@app/event-store/testing';
import type { Clock, Instant } from '@app/kernel';
import type { ReadModelDatabase } from '../engine/database/database';
import type { OpenWorkDefinition } from '../work/open-work.table';
import { LocalReadModel } from '../local-read-model';
import { START } from './sample-orders';

export const PLAIN_WORK = 'plain';
const CATEGORY = 'plain';
const ENVELOPE = { correlation: 'c', causation: 'c', actor: 'a', merchant: 'acme', commandId: 'c', recordedAt: START };

const plainWork: OpenWorkDefinition = {
  name: PLAIN_WORK,
  categories: [CATEGORY],
  shape: 1,
  fold: ({ event }) => (event as AnyEvent & { readonly data: { readonly changes: readonly WorkChange[] } }).data.changes,
};

const clock: Clock = { now: () => START };

export interface ProjectedWork extends OpenWorkFixture {
  /** @param recordedAt by the clock of the event's recorder; the projector's is `START` */
  apply(changes: readonly WorkChange[], recordedAt?: Instant): Promise<void>;
}

export const openWorkOver = async (database: ReadModelDatabase, log: EventStore): Promise<ProjectedWork> => {
  const settings = { log, clock, openWork: [plainWork] };
  const model = LocalReadModel.over(database, {
    ...settings,
    decode: ({ type, data }) => ({ type, data: JSON.parse(data) as object }),
  });
  await model.build();
  let events = 0;
  const apply = async (changes: readonly WorkChange[], recordedAt = START): Promise<void> => {
    const stream = `${CATEGORY}-${events}` as StreamName;
    const stored: StoredEvent = {
      id: String(events) as StoredEvent['id'],
      stream,
      revision: 0n as StoredEvent['revision'],
      position: String(events + 1) as StoredEvent['position'],
      type: 'Changed',
      data: JSON.stringify({ changes }),
      metadata: metadataWriter({ ...ENVELOPE, recordedAt }, stream)(null, 1),
      createdMs: START,
    };
    events += 1;
    await model.apply([stored], stored.position);
  };
  return { work: model.openWork(PLAIN_WORK), apply, close: () => model.close() };
};
