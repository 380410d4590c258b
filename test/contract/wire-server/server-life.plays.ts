import { eventually } from '@app/testing';
import { streamNameFilter, type EventStoreDBClient, type Filter } from '@eventstore/db-client';
import { outcomeOf, shownError } from './outcome';
import { event, Watch, type Play, type Plays } from './play';
import { by, type Rpc } from './world';

const WRITERS = 48;
/** Both were observed; the unread bytes in the sockets decide which one occurs. */
const CONNECTION_GONE = '(Connection dropped|read ECONNRESET)';
const parsed = (line: string | undefined): { message: string } => JSON.parse((line ?? '').replace(/^error /, '')) as { message: string };
const shownAs = (line: string, expected: string | undefined): unknown => {
  const seen = parsed(line);
  return { ...seen, message: seen.message.slice(0, parsed(expected).message.length) };
};

const subscriptionsThrough =
  (end: 'kill' | 'stop'): Play =>
  async (world, { then }) => {
    const server = await world.server();
    const client = world.client(server);
    await client.appendToStream('s', event(0));
    const filter = streamNameFilter({ prefixes: ['s'] }) as Filter;
    const watches = {
      $all: new Watch(() => client.subscribeToAll()),
      filtered: new Watch(() => client.subscribeToAll({ filter })),
      stream: new Watch(() => client.subscribeToStream('s')),
    };
    const iterated = client.subscribeToStream('s');
    const iterating = (async () => {
      for await (const _ of iterated) continue;
    })().catch((error: unknown) => error);
    const all = Object.values(watches);
    await eventually(() => all.every(({ isCaughtUp, events }) => isCaughtUp && events.length === 1));
    await server[end]();
    await server.start();
    await eventually(() => all.every(({ error }) => error !== undefined));
    const { ok: _, ...iterator } = shownError(await iterating);
    const expected = then as Record<string, readonly string[]> & { iterator: unknown; appendAfter: string };
    for (const [name, watch] of Object.entries(watches)) {
      const errors = watch.log.filter((line) => line.startsWith('error'));
      expect(errors.map((line, index) => shownAs(line, expected[name]?.[index]))).toStrictEqual(expected[name]?.map(parsed));
      expect(watch.log).not.toContain('end');
    }
    expect(iterator).toStrictEqual(expected.iterator);
    // The first call may still use the old connection; the real server was given two seconds.
    await eventually(async () => (await outcomeOf(client.appendToStream('s', event(1)).then(() => ({}))))['ok'] === true);
  };

const writersOf = (client: EventStoreDBClient, rpc: Rpc) => {
  const acked: string[] = [];
  const write = async (writer: number): Promise<unknown> => {
    for (let n = 0; ; n++) {
      const stream = `w-${writer}-${n}`;
      try {
        await client.appendToStream(stream, event(n), { expectedRevision: 'no_stream', ...by(rpc) });
        acked.push(stream);
      } catch (error) {
        return error;
      }
    }
  };
  return { acked, failures: Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))) };
};
const kinds = (errors: readonly unknown[]): string[] =>
  errors.map((error) => {
    const { error: name, code, message } = shownError(error) as { error: string; code: number; message: string };
    return `${name} code ${code}, ${message}`;
  });

const streamNames = async (client: EventStoreDBClient): Promise<Set<string>> => {
  const names = new Set<string>();
  for await (const { event: of } of client.readAll()) names.add(of!.streamId);
  return names;
};

const killed =
  (rpc: Rpc): Play =>
  async (world, { then }) => {
    const server = await world.server();
    const { acked, failures } = writersOf(world.client(server), rpc);
    await eventually(() => acked.length > 200);
    await server.kill();
    const errors = await failures;
    const [name] = (then as { error: string }).error.split(', ');
    expect(errors).toHaveLength((then as { failed: number }).failed);
    for (const kind of kinds(errors)) expect(kind).toMatch(new RegExp(`^${name}, 14 UNAVAILABLE: ${CONNECTION_GONE}`));
    await server.start();
    const stored = await streamNames(world.client(server));
    expect(acked.filter((stream) => !stored.has(stream))).toHaveLength((then as { ackedButMissing: number }).ackedButMissing);
  };

const readAny = async (client: EventStoreDBClient): Promise<void> => {
  for await (const _ of client.readStream('s', { maxCount: 1 })) continue;
};

export const serverLifePlays: Plays = {
  'sub-server-kill': subscriptionsThrough('kill'),
  'sub-server-graceful-stop': subscriptionsThrough('stop'),
  'server-kill-batch': killed('BatchAppend'),
  'server-kill-append': killed('Append'),

  'server-graceful-stop-batch': async (world, { then }) => {
    const server = await world.server();
    const { acked, failures } = writersOf(world.client(server), 'BatchAppend');
    await eventually(() => acked.length > 200);
    // In flight when the server stops: it no longer answers appends that it receives.
    server.faults.append({ kind: 'hang', isStored: false }, { times: WRITERS });
    await eventually(() => server.faults.pending === 0);
    await server.stop();
    const [kind = '', count] = Object.entries((then as { inFlight: Record<string, number> }).inFlight)[0] ?? [];
    expect(kinds(await failures)).toStrictEqual(Array.from({ length: count ?? 0 }, () => kind));
  },

  'server-graceful-stop-append': async (world, { then }) => {
    const server = await world.server();
    const { acked, failures } = writersOf(world.client(server), 'Append');
    await eventually(() => acked.length > 200);
    await server.stop(1_000);
    const [kind = '', count] = Object.entries((then as { errors: Record<string, number> }).errors)[0] ?? [];
    const [name, reason] = kind.split(', ');
    const seen = kinds(await failures);
    expect(seen).toHaveLength(count ?? 0);
    for (const line of seen) expect(line).toMatch(new RegExp(`^${name}, 14 UNAVAILABLE: ${reason}`));
  },

  'server-outage-discovery': async (world, { then }) => {
    const server = await world.server();
    const discovering = `${server.discoveryConnectionString}&maxDiscoverAttempts=3&discoveryInterval=1`;
    const client = world.connect(discovering);
    const append = async (rpc: Rpc) => outcomeOf(client.appendToStream('s', event(0), by(rpc)).then(() => ({})));
    const single = world.client(server);
    expect(await append('Append')).toStrictEqual({ ok: true });
    await server.kill();
    const { duringOutage, serverBack, singleHostString } = then as Record<'serverBack' | 'singleHostString', Record<string, string>> & {
      duringOutage: string[];
    };
    const raw = await outcomeOf(single.appendToStream('s', event(0)).then(() => ({})));
    expect({ ...raw, duringOutage: singleHostString['duringOutage'] }).toMatchObject({
      error: 'Error',
      code: 14,
      duringOutage: 'raw Error code 14 (no type)',
    });
    expect(raw).not.toHaveProperty('type');
    const brief = ({ error, code, message }: Record<string, unknown>): string =>
      typeof code === 'number' ? `${String(error)} code ${code}` : `${String(error)}: ${String(message)}`;
    expect([brief(await append('Append')), brief(await append('BatchAppend'))]).toStrictEqual(duringOutage);
    await server.start();
    const back: string[] = [];
    for (let index = 0; index < 3; index++) back.push(brief(await append('BatchAppend')));
    for (const line of back) expect(serverBack['batchAppend']).toContain(line);
    expect(await append('Append')).toStrictEqual({ ok: true });
    expect(await outcomeOf(readAny(client).then(() => ({})))).toStrictEqual({ ok: true });
    expect(await outcomeOf(single.appendToStream('s', event(0)).then(() => ({})))).toStrictEqual({ ok: true });
  },
};
