import { eventually } from '@app/testing';
import { binaryEvent, type EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { outcomeOf, shownError } from './outcome';
import { event, events, Watch, type Play, type Plays } from './play';
import { by } from './world';

const DEADLINE_MS = 300;

const readOne = async (client: EventStoreDBClient, stream: string): Promise<'ok'> => {
  for await (const _ of client.readStream(stream)) continue;
  return 'ok';
};

/** If the append exceeds its deadline, no stream was free for that time. */
const blockedAppend = (client: EventStoreDBClient) =>
  outcomeOf(client.appendToStream('blocked', event(0), { ...by('Append'), deadline: DEADLINE_MS }).then(() => ({})));
const deadlineExceeded = { ok: false, error: 'DeadlineExceededError', type: 'deadline-exceeded', code: 4 };

const streams: Play = async (world, { then }) => {
  const server = await world.server();
  const client = world.client(server);
  const other = world.client(server);
  await other.appendToStream('s', event(0));
  const watches = Array.from({ length: 120 }, () => new Watch(() => client.subscribeToStream('s')));
  const confirmed = () => watches.filter(({ log }) => log.includes('confirmation')).length;
  await eventually(() => confirmed() >= 99);
  let readOnOtherClient: string | undefined;
  const reading = readOne(world.client(server), 's').then((answer) => (readOnOtherClient = answer));
  const append = await blockedAppend(client);
  const batchAppendOnOpenStream = (await other.appendToStream('s', event(1))).success ? 'ok' : 'failed';
  const expected = then as Record<string, unknown>;
  if ('confirmed' in expected) {
    expect({ confirmed: confirmed(), readOnOtherClient, append, batchAppendOnOpenStream }).toMatchObject({
      confirmed: expected['confirmed'],
      readOnOtherClient: undefined,
      append: deadlineExceeded,
      batchAppendOnOpenStream: expected['batchAppendOnOpenStream'],
    });
    void reading.catch(() => undefined);
    return;
  }
  await Promise.all(watches.slice(0, 60).map((watch) => watch.end()));
  await reading;
  await eventually(() => confirmed() === watches.length);
  expect({ readOnOtherClient, confirmedNow: confirmed() }).toStrictEqual(then);
};

const leavesEarly =
  (begin: (client: EventStoreDBClient) => AsyncIterable<unknown>): Play =>
  async (world, { then }) => {
    const server = await world.server();
    const client = world.client(server);
    for (let index = 0; index < 4; index++) {
      await client.appendToStream(
        's',
        Array.from({ length: 500 }, () => binaryEvent({ id: randomUUID(), type: 'T', data: new Uint8Array(300) })),
      );
    }
    let wentThrough = 0;
    let isOver = false;
    const leaving = (async () => {
      while (!isOver) {
        for await (const _ of begin(client)) break;
        wentThrough += 1;
      }
    })();
    const expected = (then as { wentThrough: number }).wentThrough;
    await eventually(() => wentThrough >= expected);
    await expect(blockedAppend(client)).resolves.toMatchObject(deadlineExceeded);
    expect(wentThrough).toBe(expected);
    await expect(blockedAppend(world.client(server))).resolves.toMatchObject(deadlineExceeded);
    isOver = true;
    await world.end();
    await leaving.catch((error: unknown) => expect(shownError(error)).toMatchObject({ type: 'unavailable' }));
  };

export const limitPlays: Plays = {
  'limit-100-streams': streams,
  'limit-100-streams-released': streams,
  'limit-break-reads': leavesEarly((client) => client.readStream('s')),
  'limit-break-subscription': leavesEarly((client) => client.subscribeToStream('s')),

  'limit-300-concurrent-calls': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.appendToStream('s', events(1));
    const count = 300;
    const done = async (call: () => Promise<unknown>): Promise<string> => {
      const settled = await Promise.allSettled(Array.from({ length: count }, call));
      return `${settled.filter(({ status }) => status === 'fulfilled').length} of ${count}`;
    };
    expect({
      appends: await done(() => client.appendToStream(`s-${randomUUID()}`, event(0), by('Append'))),
      reads: await done(() => readOne(client, 's')),
    }).toStrictEqual(then);
  },

  'deadline-past': async (world, { then }) => {
    const client = world.client(await world.server());
    await expect(outcomeOf(client.appendToStream('s', event(0), { deadline: -1000 }).then(() => ({})))).resolves.toStrictEqual({
      ok: false,
      ...then,
    });
    await expect(outcomeOf(readOne(client, 's').then(() => ({})))).resolves.toMatchObject({ type: 'stream-not-found' });
  },

  'deadline-frozen-server': async (world, { then }) => {
    const server = await world.server();
    const client = world.client(server);
    await client.appendToStream('known', event(0), by('Append'));
    server.freeze();
    const { appendRpc, deleteStream } = then as Record<string, Record<string, unknown>>;
    const frozen = {
      appendRpc: await outcomeOf(client.appendToStream('s', event(0), { ...by('Append'), deadline: DEADLINE_MS }).then(() => ({}))),
      deleteStream: await outcomeOf(client.deleteStream('known', { deadline: DEADLINE_MS }).then(() => ({}))),
    };
    const shown = ({ ms: _, ...fields }: Record<string, unknown>) => ({ ok: false, ...fields });
    expect(frozen).toMatchObject({ appendRpc: shown(appendRpc!), deleteStream: shown(deleteStream!) });
    await eventually(() => server.openCalls === 0);
    server.thaw();
    await expect(readOne(client, 'known')).resolves.toBe('ok');
    await expect(outcomeOf(readOne(client, 's').then(() => ({})))).resolves.toMatchObject({ type: 'stream-not-found' });
  },
};
