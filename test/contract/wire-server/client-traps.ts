/**
 * Effects of the client on its whole process, played in a separate process. The argument names the trap; the result is one line of JSON.
 */
import { WireServer } from '../../fakes/eventstoredb';
import { EventStoreDBClient, jsonEvent, type JSONEventData } from '@eventstore/db-client';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { outcomeOf, shownError } from './outcome';

/** Shortened, so that the second answer of a refused append comes soon. */
const WRITE_TIMEOUT_MS = 50;
const SECOND_ANSWER_LIMIT_MS = 5_000;

const event = (id: string = randomUUID()): JSONEventData => jsonEvent({ id, type: 'T', data: { n: 1 } });
const connect = (server: WireServer): EventStoreDBClient => EventStoreDBClient.connectionString(server.connectionString);
const none = (): Readonly<Record<string, unknown>> => ({});

const streamAfter = async (client: EventStoreDBClient, stream: string): Promise<unknown> => {
  try {
    let count = 0;
    for await (const _ of client.readStream(stream)) count += 1;
    return count;
  } catch (error) {
    return shownError(error)['type'];
  }
};

const badId = async (id: string): Promise<unknown> => {
  const server = await WireServer.start({ writeTimeoutMs: WRITE_TIMEOUT_MS });
  const client = connect(server);
  const unhandled = once(process, 'unhandledRejection');
  const append = await outcomeOf(client.appendToStream('s', event(id)).then(none));
  const after = await streamAfter(client, 's');
  const [error] = (await unhandled) as [Error];
  return { ...append, streamAfter: after, processErrors: [`unhandledRejection: ${error.message}`] };
};

const traps: Readonly<Record<string, () => Promise<unknown>>> = {
  'id-not-uuid--batch': () => badId('not-a-uuid'),
  'id-empty-uuid--batch': () => badId('00000000-0000-0000-0000-000000000000'),

  'client-bad-event-ends-process': async () => {
    const server = await WireServer.start({ writeTimeoutMs: WRITE_TIMEOUT_MS });
    const append = await outcomeOf(connect(server).appendToStream('s', event('not-a-uuid')).then(none));
    console.log(JSON.stringify({ append }));
    await wait(SECOND_ANSWER_LIMIT_MS);
    return { survived: true };
  },

  'client-minus-one-rejects-neighbours': async () => {
    const client = connect(await WireServer.start());
    await client.appendToStream('s', event());
    const neighbours = Array.from({ length: 20 }, () =>
      outcomeOf(client.appendToStream('s', event(), { expectedRevision: 0n }).then(none)),
    );
    const badAppend = await outcomeOf(client.appendToStream('s', event(), { expectedRevision: -1n }).then(none));
    const seen: Record<string, number> = {};
    for (const { error, code } of await Promise.all(neighbours)) {
      const kind = `${String(error)} code ${String(code)}`;
      seen[kind] = (seen[kind] ?? 0) + 1;
    }
    return { badAppend, neighbours: seen, storedOfThe20: Number(await streamAfter(client, 's')) - 1 };
  },

  'client-bigint-in-data': async () => {
    const client = connect(await WireServer.start());
    const unhandled = once(process, 'unhandledRejection');
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    client.appendToStream('s', jsonEvent({ type: 'T', data: { amount: 5n } as never })).then(settle, settle);
    const [error] = (await unhandled) as [Error];
    await client.appendToStream('other', event());
    return { pending: !isSettled, process: `unhandledRejection: ${error.message}`, stored: await streamAfter(client, 's') };
  },

  'client-promise-bank': async () => {
    const [serverA, serverB] = [await WireServer.start(), await WireServer.start()];
    const [a, b] = [connect(serverA), connect(serverB)];
    await Promise.all([a.appendToStream('s', event()), b.appendToStream('s', event())]);
    const unhandled = once(process, 'unhandledRejection');
    serverB.freeze();
    const ofB = outcomeOf(b.appendToStream('s', event()).then(none));
    serverA.faults.append({ kind: 'cancelled' });
    await outcomeOf(a.appendToStream('s', event()).then(none));
    const { message: _, ...B } = await ofB;
    serverB.thaw();
    const [error] = (await unhandled) as [Error];
    return { B, onThaw: `unhandledRejection: ${error.message.replace(/ \(.*/, '')}`, storedByB: (await streamAfter(b, 's')) === 2 };
  },
};

const [trap = ''] = process.argv.slice(2);
void traps[trap]?.().then((outcome) => {
  console.log(JSON.stringify(outcome));
  process.exit(0);
});
