import { eventually } from '@app/testing';
import {
  END,
  excludeSystemEvents,
  START,
  streamNameFilter,
  type EventStoreDBClient,
  type Filter,
  type Position,
  type RecordedEvent,
} from '@eventstore/db-client';
import { event, events, Watch, type Play, type Plays } from './play';
import type { World } from './world';

const LIVE_EVENTS = 400;
const MATCHING_EVERY = 100;

interface FilterSpec {
  readonly streamNameFilter: readonly string[];
  readonly maxSearchWindow?: number;
  readonly checkpointInterval?: number;
}

const watchAll = (client: EventStoreDBClient, fromPosition: 'start' | 'end' | Position, filter?: Partial<Filter>): Watch =>
  new Watch((checkpointReached) =>
    client.subscribeToAll({ fromPosition, ...(filter === undefined ? {} : { filter: { ...filter, checkpointReached } as Filter }) }),
  );
const prefix = ({ streamNameFilter: prefixes, ...window }: FilterSpec): Partial<Filter> =>
  streamNameFilter({ prefixes: [...prefixes], ...window });
const H: FilterSpec = { streamNameFilter: ['h-'] };

const fill = async (client: EventStoreDBClient, count: number): Promise<void> => {
  const matching = 10;
  for (let index = 0; index < matching; index++) {
    await client.appendToStream('other', events(MATCHING_EVERY - 1));
    await client.appendToStream(`h-${index}`, event(index));
  }
  await client.appendToStream('other', events(Math.max(0, count - matching * MATCHING_EVERY)));
};

/** The cases give log sizes only in hundreds; these numbers fit all six counts. */
const considered = (round: number): number => 997 + 403 * round;

const isAfter = (a: Position, b: Position): boolean => a.commit > b.commit || (a.commit === b.commit && a.prepare > b.prepare);

/** `firstItems` is not compared: the client reports a checkpoint while earlier events are still in its buffers. */
const checkpoints =
  (round: number): Play =>
  async (world, { when, then }) => {
    const client = world.client(await world.server());
    await fill(client, considered(round));
    const watch = watchAll(client, START, prefix((when as unknown as { filter: FilterSpec }).filter));
    await eventually(() => watch.isCaughtUp);
    const catchUp = [...watch.checkpoints];
    await client.appendToStream('other', events(LIVE_EVENTS));
    const { position } = await client.appendToStream('h-end', event(0));
    await eventually(() => watch.events.some(({ streamId }) => streamId === 'h-end'));
    const live = watch.checkpoints.filter(({ commit }) => commit < position!.commit).slice(catchUp.length);
    const all = [...catchUp, ...live];
    const { checkpointsDuring400LiveEvents: liveCount, firstItems: _, ...rest } = then as Record<string, number>;
    expect({
      delivered: watch.events.length - 1,
      checkpointsDuringCatchUp: catchUp.length,
      eventsInOrder: watch.log,
      checkpointCommitEqualsPrepare: catchUp.every(({ commit, prepare }) => commit === prepare),
      checkpointsGrow: all.every((checkpoint, index) => index === 0 || isAfter(checkpoint, all[index - 1]!)),
      duplicateCheckpoints: all.length - new Set(all.map(({ commit, prepare }) => `${commit}/${prepare}`)).size,
    }).toStrictEqual(rest);
    expect(Math.abs(live.length - (liveCount ?? 0))).toBeLessThanOrEqual(1);
  };

const matchingOf = (watched: readonly RecordedEvent[]): string[] => watched.map(({ streamId, revision }) => `${streamId}@${revision}`);

const resumes = async (
  client: EventStoreDBClient,
  spec: FilterSpec,
  all: readonly RecordedEvent[],
  positions: readonly Position[],
): Promise<{ tries: number; lost: number; doubled: number }> => {
  let lost = 0;
  let doubled = 0;
  for (const position of positions) {
    const watch = watchAll(client, position, prefix(spec));
    await eventually(() => watch.isCaughtUp);
    await watch.end();
    const due = new Set(matchingOf(all.filter((of) => isAfter(of.position!, position))));
    const seen = matchingOf(watch.events);
    lost += [...due].filter((name) => !seen.includes(name)).length;
    doubled += seen.filter((name, index) => !due.has(name) || seen.indexOf(name) !== index).length;
  }
  return { tries: positions.length, lost, doubled };
};

const ofStream = (client: EventStoreDBClient, stream: string, fromRevision?: bigint): Watch =>
  new Watch(() => client.subscribeToStream(stream, fromRevision === undefined ? {} : { fromRevision }));

const begin = async (world: World): Promise<EventStoreDBClient> => world.client(await world.server());
const ended = async (watch: Watch): Promise<void> => {
  await watch.end();
  await eventually(() => watch.log.includes('close'));
};
const errorLine = (line: string | undefined): unknown => JSON.parse((line ?? '').replace(/^error /, ''));

export const subscriptionPlays: Plays = {
  'sub-filtered-checkpoints-window-default-interval-default': checkpoints(0),
  'sub-filtered-checkpoints-window-default-interval-1': checkpoints(1),
  'sub-filtered-checkpoints-window-default-interval-4': checkpoints(2),
  'sub-filtered-checkpoints-window-100-interval-1': checkpoints(3),
  'sub-filtered-checkpoints-window-10-interval-1': checkpoints(4),
  'sub-filtered-checkpoints-window-1-interval-1': checkpoints(5),

  'sub-resume-from-checkpoint': async (world, { then }) => {
    const client = await begin(world);
    const spec: FilterSpec = { ...H, maxSearchWindow: 10 };
    const { tries, matched } = then as { tries: number; matched: number };
    await fill(client, 0);
    const watch = watchAll(client, START, prefix(spec));
    await eventually(() => watch.isCaughtUp);
    expect({
      ...(await resumes(client, spec, watch.events, watch.checkpoints.slice(0, tries))),
      matched: watch.events.length,
    }).toStrictEqual({ ...then, matched });
  },

  'sub-resume-from-event': async (world, { then }) => {
    const client = await begin(world);
    await fill(client, 0);
    const watch = watchAll(client, START, prefix(H));
    await eventually(() => watch.isCaughtUp);
    await expect(
      resumes(
        client,
        H,
        watch.events,
        watch.events.map(({ position }) => position!),
      ),
    ).resolves.toStrictEqual(then);
  },

  'sub-resume-from-live-checkpoint': async (world, { then }) => {
    const client = await begin(world);
    const spec: FilterSpec = { ...H, maxSearchWindow: 5 };
    const { tries, matched } = then as { tries: number; matched: number };
    const watch = watchAll(client, END, prefix(spec));
    await eventually(() => watch.isCaughtUp);
    for (let index = 0; index < matched; index++) {
      await client.appendToStream('other', events(6));
      await client.appendToStream(`h-${index}`, event(index));
    }
    await eventually(() => watch.events.length === matched && watch.checkpoints.length >= tries);
    const live = watch.checkpoints.slice(0, tries);
    expect(live.every(({ commit, prepare }) => commit === prepare)).toBe(true);
    expect({ ...(await resumes(client, spec, watch.events, live)), matched: watch.events.length }).toStrictEqual(then);
  },

  'sub-from-computed-position': async (world, { then }) => {
    const client = await begin(world);
    await client.appendToStream('s', events(3));
    const [first] = await (async () => {
      const all: RecordedEvent[] = [];
      for await (const { event: of } of client.readStream('s')) all.push(of!);
      return all;
    })();
    const beside = async (step: bigint) => {
      const commit = first!.position!.commit + step;
      const watch = watchAll(client, { commit, prepare: commit });
      await eventually(() => watch.error !== undefined);
      const { error, message } = errorLine(watch.error) as { error: string; message: string };
      return { delivered: watch.delivered, log: [`error ${error} ${message}`] };
    };
    expect({ 'position of first event -1': await beside(-1n), 'position of first event +1': await beside(1n) }).toStrictEqual(then);
  },

  'sub-unfiltered': async (world, { then }) => {
    const client = await begin(world);
    const { position } = await client.appendToStream('s', event(0));
    await client.appendToStream('s', event(1));
    const watch = watchAll(client, position!);
    await eventually(() => watch.isCaughtUp);
    const deliveredBeforeCaughtUp = watch.events.length === 1;
    await client.appendToStream('s', event(2));
    await eventually(() => watch.events.length === 2);
    await ended(watch);
    expect({ log: watch.log, deliveredBeforeCaughtUp, liveAfter: watch.delivered.includes(2) }).toStrictEqual(then);
  },

  'sub-from-end': async (world, { then }) => {
    const client = await begin(world);
    await client.appendToStream('h-1', events(2));
    const watch = watchAll(client, END, prefix(H));
    await eventually(() => watch.isCaughtUp);
    await client.appendToStream('h-1', event(2));
    await eventually(() => watch.events.length > 0);
    await ended(watch);
    expect({ log: watch.log, delivered: watch.delivered }).toStrictEqual(then);
  },

  'sub-exclude-system-events': async (world, { then }) => {
    const client = await begin(world);
    const { checkpoints: count } = then as { checkpoints: number };
    await client.setStreamMetadata('s', { maxCount: 10_000 });
    await client.appendToStream('s', events(2, '$odd'));
    await client.appendToStream('$sys', event(0));
    await client.appendToStream('s', events(count * 32));
    const watch = watchAll(client, START, excludeSystemEvents());
    await eventually(() => watch.isCaughtUp);
    const fromDollarStreams = watch.events
      .filter(({ streamId }) => streamId.startsWith('$'))
      .map(({ streamId, type }) => `${streamId} : ${type}`);
    const dollarTypesDelivered = watch.events.filter(({ type }) => type.startsWith('$')).length;
    expect({ dollarTypesDelivered, fromDollarStreams, checkpoints: watch.checkpoints.length }).toStrictEqual(then);
  },

  'sub-stream-regex': async (world, { when, then }) => {
    const client = await begin(world);
    await fill(client, 0);
    const regex = (when as unknown as { filter: { streamNameFilter: string } }).filter.streamNameFilter;
    const watch = watchAll(client, START, streamNameFilter({ regex }));
    await eventually(() => watch.isCaughtUp);
    expect({ delivered: watch.events.length }).toStrictEqual(then);
  },

  'sub-stream-two-prefixes': async (world, { when, then }) => {
    const client = await begin(world);
    await fill(client, 0);
    const watch = watchAll(client, START, prefix((when as unknown as { filter: FilterSpec }).filter));
    await eventually(() => watch.isCaughtUp);
    expect({ delivered: watch.events.map(({ streamId }) => streamId) }).toStrictEqual(then);
  },

  'sub-stream-exclusive': async (world, { then }) => {
    const client = await begin(world);
    await client.appendToStream('s', events(3));
    const watch = ofStream(client, 's', 0n);
    await eventually(() => watch.isCaughtUp);
    await ended(watch);
    expect({ firstRevision: Number(watch.events[0]?.revision), log: watch.log }).toStrictEqual(then);
  },

  'sub-stream-missing': async (world, { then }) => {
    const client = await begin(world);
    const watch = ofStream(client, 'missing');
    await eventually(() => watch.isCaughtUp);
    await client.appendToStream('missing', event(0));
    await eventually(() => watch.events.length > 0);
    await ended(watch);
    expect({ log: watch.log, delivered: watch.delivered }).toStrictEqual(then);
  },

  'sub-stream-tombstoned-while-live': async (world, { then }) => {
    const client = await begin(world);
    await client.appendToStream('tb', events(2));
    const watch = ofStream(client, 'tb');
    await eventually(() => watch.isCaughtUp);
    await client.tombstoneStream('tb');
    await eventually(() => watch.error !== undefined);
    const { log, delivered } = then as { log: string[]; delivered: string[] };
    expect(watch.events.map(({ revision }) => `${Number(revision)}`)).toStrictEqual(delivered);
    expect(watch.log.slice(0, -1)).toStrictEqual(log.slice(0, -1));
    expect(errorLine(watch.log.at(-1))).toStrictEqual(errorLine(log.at(-1)));
  },

  'sub-stream-tombstoned': async (world, { then }) => {
    const client = await begin(world);
    await client.tombstoneStream('tb');
    const watch = ofStream(client, 'tb');
    await eventually(() => watch.error !== undefined);
    expect(watch.log.map(errorLine)).toStrictEqual((then as { log: string[] }).log.map(errorLine));
  },

  'sub-stream-soft-deleted-while-live': async (world, { then }) => {
    const client = await begin(world);
    await client.appendToStream('s', events(2));
    const watch = ofStream(client, 's');
    await eventually(() => watch.isCaughtUp);
    await client.deleteStream('s');
    await client.appendToStream('s', event(2));
    await eventually(() => watch.events.length === 3);
    expect({ log: watch.log, delivered: watch.events.map(({ revision }) => Number(revision)) }).toStrictEqual(then);
  },

  'sub-checkpoint-position-shape': async (world, { then }) => {
    const client = await begin(world);
    const none: FilterSpec = { streamNameFilter: ['none-'] };
    await client.appendToStream('other', events(100));
    const positions: bigint[] = [];
    for await (const { event: of } of client.readAll()) positions.push(of!.position.commit);
    const watch = watchAll(client, START, prefix(none));
    await eventually(() => watch.isCaughtUp);
    const catchUp = [...watch.checkpoints];
    await client.appendToStream('other', events(100));
    await eventually(() => watch.checkpoints.length >= catchUp.length + 3);
    const live = watch.checkpoints.slice(catchUp.length);
    const works = async (position: Position): Promise<string> => {
      const resumed = watchAll(client, position, prefix(none));
      await eventually(() => resumed.isCaughtUp || resumed.error !== undefined);
      return resumed.error ?? 'works';
    };
    const [first] = catchUp;
    expect({
      catchUp: catchUp.every(({ commit, prepare }) => positions.includes(commit) && prepare === 0n)
        ? 'commit = position of an event, prepare = 0'
        : catchUp,
      live: live.every(({ commit, prepare }) => commit === prepare) ? 'commit = prepare' : live,
      resumeFromCatchUpCheckpoint: await works(first!),
      resumeWithCommitUsedAsPrepare: await works({ commit: first!.commit, prepare: first!.commit }),
    }).toStrictEqual(then);
  },
};
