import { eventually } from '@app/testing';
import {
  BACKWARDS,
  binaryEvent,
  END,
  START,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  type ReadAllOptions,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { shownError } from './outcome';
import { event, events, type Plays } from './play';
import { by, type World } from './world';

const DATA_BYTES = [0, 100, 1000];
const MAX_REVISION = 9_223_372_036_854_775_807n;
const OF_PERSISTENT_SUBSCRIPTIONS = /^\$persistent/;

const readAll = async (client: EventStoreDBClient, options: ReadAllOptions): Promise<AllStreamResolvedEvent[]> => {
  const read: AllStreamResolvedEvent[] = [];
  for await (const resolved of client.readAll(options)) read.push(resolved);
  return read;
};
const placed = (read: readonly AllStreamResolvedEvent[]): string[] => read.map(({ event: of }) => `${of?.streamId}@${of?.revision}`);
const typed = (read: readonly AllStreamResolvedEvent[]): string[] => read.map(({ event: of }) => `${of?.streamId} ${of?.type}`);

const withMulti = async (world: World) => {
  const client = world.client(await world.server());
  await client.appendToStream('before', event(0));
  await client.appendToStream('multi', events(3));
  const [last] = await readAll(client, { direction: BACKWARDS, fromPosition: END, maxCount: 1 });
  return { client, position: last!.event!.position };
};

const kindOf = ({ event: of }: AllStreamResolvedEvent): string => {
  const { streamId, type, isJson } = of!;
  const [, metastream = '', name = ''] = /^(\$\$)?(.*)$/.exec(streamId) ?? [];
  const plain = metastream === '' ? '<ordinary>' : '<stream>';
  const shown =
    name === '$all'
      ? name
      : name.startsWith('$ce-')
        ? '$ce-<...>'
        : name.startsWith('$')
          ? metastream === ''
            ? '$<stream>'
            : '<$-stream>'
          : plain;
  return `${metastream}${shown} : ${type} ${isJson ? 'json' : 'binary'}`;
};

const link = () => binaryEvent({ id: randomUUID(), type: '$>', data: Uint8Array.from(Buffer.from('0@s')) });

export const logPlays: Plays = {
  'position-growth-by-size': async (world, { then }) => {
    const client = world.client(await world.server());
    const distanceBytes: Record<string, number> = {};
    for (const bytes of DATA_BYTES) {
      const append = async () =>
        (await client.appendToStream('stream-of-14-c', binaryEvent({ id: randomUUID(), type: 'T', data: new Uint8Array(bytes) }))).position!
          .commit;
      const first = await append();
      distanceBytes[bytes] = Number((await append()) - first);
    }
    expect({ distanceBytes }).toStrictEqual(then);
  },

  'position-multi-event': async (world, { then }) => {
    const client = world.client(await world.server());
    const { position } = await client.appendToStream('stream-of-15-ch', events(3));
    const read = (await readAll(client, { fromPosition: START })).map(({ event: of }) => of!.position);
    const commits = read.map(({ commit }) => commit);
    expect({
      commitEqualsPrepareOfEach: read.map(({ commit, prepare }) => commit === prepare),
      strictlyGrowing: commits.every((commit, index) => index === 0 || commit > (commits[index - 1] ?? commit)),
      distances: commits.slice(1).map((commit, index) => Number(commit - (commits[index] ?? commit))),
      resultPositionIsOfEvent: commits.indexOf(position!.commit),
      resultCommitEqualsPrepare: position?.commit === position?.prepare,
    }).toStrictEqual(then);
  },

  'position-empty-append': async (world, { then }) => {
    const client = world.client(await world.server());
    const { position: head } = await client.appendToStream('before', event(0));
    const { nextExpectedRevision, position } = await client.appendToStream('empty', []);
    const [last] = await readAll(client, { direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    expect({
      nextExpectedRevision: `${nextExpectedRevision}n`,
      positionAfterHead: position!.commit > head!.commit,
      lastEventOf$allUnchanged: last?.event?.position.commit === head!.commit,
    }).toStrictEqual(then);
  },

  'position-delete': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.appendToStream('s', events(2));
    const result = await client.deleteStream('s');
    const [last] = await readAll(client, { direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    expect({
      keys: Object.keys(result),
      positionIs$metadataEvent: last?.event?.type === '$metadata' && last.event.position.commit === result.position?.commit,
    }).toStrictEqual(then);
  },

  'all-backwards': async (world, { then }) => {
    const { client } = await withMulti(world);
    await client.deleteStream('multi');
    expect({ events: typed(await readAll(client, { direction: BACKWARDS, fromPosition: END, maxCount: 3 })) }).toStrictEqual(then);
  },

  'all-from-inclusive': async (world, { then }) => {
    const { client, position } = await withMulti(world);
    expect({ events: placed(await readAll(client, { fromPosition: position, maxCount: 1 })) }).toStrictEqual(then);
  },

  'all-backwards-from': async (world, { then }) => {
    const { client, position } = await withMulti(world);
    expect({ events: placed(await readAll(client, { direction: BACKWARDS, fromPosition: position, maxCount: 1 })) }).toStrictEqual(then);
  },

  'all-from-position-plus-1': async (world, { then }) => {
    const { client, position } = await withMulti(world);
    const beside = { commit: position.commit + 1n, prepare: position.prepare + 1n };
    const error: unknown = await readAll(client, { fromPosition: beside, maxCount: 1 }).catch((caught: unknown) => caught);
    expect(shownError(error)).toStrictEqual({ ok: false, ...then });
  },

  'all-from-beyond-end': async (world, { then }) => {
    const { client, position } = await withMulti(world);
    const beyond = { commit: position.commit * 2n, prepare: position.commit * 2n };
    expect({ events: await readAll(client, { fromPosition: beyond }) }).toStrictEqual(then);
  },

  'all-system-events': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.setStreamMetadata('s', { maxCount: 3 });
    await client.setStreamMetadata('$s', { maxCount: 3 });
    await client.appendToStream('$$plain', event(0));
    for (const stream of ['$mine', '$all']) await client.appendToStream(stream, event(0));
    for (const stream of ['$ln', '$ce-x']) await client.appendToStream(stream, link());
    for (const type of ['$dollar', '$metadata', '$mine']) await client.appendToStream('s', event(0, type));
    await client.tombstoneStream('gone');
    const read = await readAll(client, { fromPosition: START });
    const commits = read.map(({ event: of }) => of!.position.commit);
    const { kinds, ...rest } = then as { kinds: readonly string[] };
    expect({
      commitEqualsPrepareEverywhere: read.every(({ event: of }) => of?.position.commit === of?.position.prepare),
      strictlyGrowing: commits.every((commit, index) => index === 0 || commit > (commits[index - 1] ?? commit)),
      withoutEvent: read.filter(({ event: of }) => of === undefined).length,
    }).toStrictEqual(rest);
    expect([...new Set(read.map(kindOf))].sort()).toStrictEqual(kinds.filter((kind) => !OF_PERSISTENT_SUBSCRIPTIONS.test(kind)));
  },

  'readAll-filter-ignored': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.appendToStream('s', events(600));
    const filter = streamNameFilter({ prefixes: ['no-such-prefix-'] });
    const read = await readAll(client, { maxCount: 500, ...{ filter } });
    expect({ events: read.length }).toStrictEqual(then);
  },

  'all-metadata-event': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.setStreamMetadata('x1', { maxCount: 3 });
    const [last] = await readAll(client, { direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    const { streamId: stream, type, isJson, data } = last!.event!;
    expect({ stream, type, isJson, data }).toStrictEqual(then);
  },

  'all-tombstone-event': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.tombstoneStream('x2');
    const [last] = await readAll(client, { direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    const { streamId: stream, type, revision, isJson } = last!.event!;
    expect({ stream, type, revision: `${revision}n`, isJson }).toStrictEqual(then);
    expect(revision).toBe(MAX_REVISION);
  },

  'all-soft-deleted-visible': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.appendToStream('x3', events(2));
    await client.deleteStream('x3');
    const read = await readAll(client, { direction: BACKWARDS, fromPosition: END, maxCount: 3 });
    expect({ events: read.map(({ event: of }) => `${of?.streamId} ${of?.type}@${of?.revision}`) }).toStrictEqual(then);
  },

  'name-all--batch': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.appendToStream('$all', event(0), by('Append'));
    const mine = event(1);
    const { success: ok, nextExpectedRevision, position } = await client.appendToStream('$all', mine, by('BatchAppend'));
    const streamAfter: string[] = [];
    for await (const { event: of } of client.readStream('$all')) {
      streamAfter.push(`${of?.id === mine.id ? 'n1' : 'unknown id'}@${of?.revision}`);
    }
    const [last] = await readAll(client, { direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    expect(last?.event?.position).toStrictEqual(position);
    expect({ ok, nextExpectedRevision: `${nextExpectedRevision}n`, position: 'new', streamAfter }).toStrictEqual(then);
  },

  'read-recreated-visible': async (world, { then }) => {
    const client = world.client(await world.server());
    const tries = (then as { tries: number }).tries;
    let firstReadNotFound = 0;
    for (let index = 0; index < tries; index++) {
      const stream = `s${index}`;
      await client.appendToStream(stream, events(3));
      await client.deleteStream(stream);
      await client.appendToStream(stream, event(4), { expectedRevision: 'no_stream' });
      const read: unknown[] = [];
      const reading = (async () => {
        for await (const { event: of } of client.readStream(stream)) read.push(of?.data);
      })();
      await reading.catch(() => (firstReadNotFound += 1));
      expect(read).toStrictEqual([{ n: 4 }]);
    }
    expect({ firstReadNotFound, tries }).toMatchObject({ firstReadNotFound: (then as { firstReadNotFound: number }).firstReadNotFound });
  },

  'append-ids-order-any--batch': async (world, { then }) => {
    const client = world.client(await world.server());
    const stored = events(3);
    const [first, , third] = stored;
    await client.appendToStream('s', stored);
    let isSettled = false;
    const settled = () => (isSettled = true);
    const turned = client.appendToStream('s', [third!, first!], { expectedRevision: 'any' }).then(settled, settled);
    // One call carries both in order, so the second answer proves that the first append was processed.
    await client.appendToStream('other', event(0));
    expect({ ok: isSettled, pending: (then as { pending: string }).pending }).toMatchObject({ ok: false });
    const ids: string[] = [];
    for await (const { event: of } of client.readStream('s'))
      ids.push(`e${stored.findIndex(({ id }) => id === of?.id) + 1}@${of?.revision}`);
    expect(ids).toStrictEqual((then as { streamAfter: string[] }).streamAfter);
    await world.end();
    await eventually(() => isSettled);
    await turned;
  },
};
