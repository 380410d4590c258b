import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answerQuestions } from '../harness/program';
import { ROOT } from '../harness/built';
import { drive, type Traffic, type TrafficTimes } from '../load/store-traffic';

interface JsonEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
}

interface Client {
  appendToStream(stream: string, events: readonly unknown[], options: object): Promise<{ readonly success: boolean }>;
  readStream(stream: string, options: object): AsyncIterable<{ readonly event?: { readonly data: unknown } }>;
  dispose(): Promise<void>;
}

/** Used here only as a peer to measure against; the service's own use of it is in one folder. */
const { EventStoreDBClient, jsonEvent } = createRequire(join(ROOT, 'package.json'))('@eventstore/db-client') as {
  readonly EventStoreDBClient: { connectionString(url: string): Client };
  readonly jsonEvent: (event: JsonEvent) => unknown;
};

const USER = /^esdb(?:\+discover)?:\/\/([^:@/?]+):([^@/?]+)@/;

/** Credentials make the client use the Append call; those of the URL where it has any, and a server without users ignores others. */
const credentialsOf = (url: string): { username: string; password: string } => {
  const [, username = 'bench', password = 'bench'] = USER.exec(url) ?? [];
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
};

/** Only the client's own methods. */
answerQuestions(async (traffic: Traffic): Promise<TrafficTimes> => {
  const client = EventStoreDBClient.connectionString(traffic.url);
  const options = {
    expectedRevision: 'no_stream',
    requiresLeader: true,
    ...(traffic.isBatched !== true && { credentials: credentialsOf(traffic.url) }),
  };
  const times = await drive(
    {
      prepare: (events) =>
        events.map((event) =>
          jsonEvent({ ...event, data: JSON.parse(event.data) as unknown, metadata: JSON.parse(event.metadata) as unknown }),
        ),
      append: async (stream, events) => {
        const { success } = await client.appendToStream(stream, events, options);
        if (!success) throw new Error('a new stream was not new');
      },
      read: async (stream) => {
        let count = 0;
        for await (const { event } of client.readStream(stream, { requiresLeader: true })) if (event?.data !== undefined) count += 1;
        return count;
      },
    },
    traffic,
  );
  await client.dispose();
  return times;
});
