import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import { copyLog, verifyCopy, type CopyReport, type CopySettings, type EventLog } from '@app/event-store/copy';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { EventStoreDbEventStore } from '@app/event-store/stores/eventstoredb';
import { ChainedWriter, collect } from '@app/event-store/testing';
import { systemClock, systemScheduler } from '@app/kernel';
import { openDatabase } from '@app/databases/sqlite';
import { WireServer } from '../fakes/eventstoredb';

const ORDERS = 150;
const ATTEMPT_MS = 300;
/** Each test copies a log several times, on a busy machine. */
const LIMIT_MS = 180_000;
type Closed = Pick<EventStore, 'close'>;
const KNOWN = new Set(['order', 'delivery', 'serial']);
const folder = mkdtempSync(join(tmpdir(), 'copy-log-'));
const servers: WireServer[] = [];
const stores: Closed[] = [];
let files = 0;

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all(servers.splice(0).map((server) => server.kill()));
});
afterAll(() => rmSync(folder, { recursive: true }));

const kept = <Store extends Closed>(store: Store): Store => {
  stores.push(store);
  return store;
};
const openFile = async (path = join(folder, `log-${++files}.sqlite`)): Promise<EventStore> =>
  kept(await EmbeddedEventStore.open({ path, clock: systemClock, scheduler: systemScheduler }));
const serve = async (): Promise<WireServer> => {
  const server = await WireServer.start();
  servers.push(server);
  return server;
};
const connect = async (server: WireServer): Promise<EventStore> =>
  kept(await EventStoreDbEventStore.open({ url: server.connectionString, scheduler: systemScheduler, attemptMs: ATTEMPT_MS }));
const openServer = async (): Promise<EventStore> => connect(await serve());

const stream = (name: string): StreamName => name as StreamName;

const fill = async (store: EventStore): Promise<void> => {
  const writer = new ChainedWriter(store);
  for (let index = 0; index < ORDERS; index++) {
    if (index % 50 === 0) await writer.write(stream('serial-numbers'), 100, 'boot', `block ${index} ñ☃`);
    await writer.write(stream(`order-${index}`), 1, `request ${index}`);
    await writer.write(stream(`order-${index}`), 3, `request ${index}`, 'x'.repeat(200));
    if (index > 0) await writer.write(stream(`delivery-${index - 1}`), 2, `request ${index - 1}`);
  }
};
const EVENTS = ORDERS * 4 + (ORDERS - 1) * 2 + 300;

const all = async (store: EventStore): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  const subscription = store.subscribe('all', 'start');
  for await (const item of subscription) {
    if (item.kind === 'caught-up') break;
    if (item.kind === 'event') events.push(item.event);
  }
  await subscription.cancel();
  return events;
};
const shown = (events: readonly StoredEvent[]): readonly string[] =>
  events.map(({ stream: name, revision, id, type, data, metadata }) => [name, revision, id, type, data, metadata].join('|')).sort();

const copy = (source: EventLog, target: EventStore, more: Partial<CopySettings> = {}): Promise<CopyReport> =>
  copyLog({ source, target, selection: 'all', knownCategories: KNOWN, scheduler: systemScheduler, ...more });

const PAIRS: readonly (readonly [string, () => Promise<EventStore>, () => Promise<EventStore>])[] = [
  ['a file to EventStoreDB', openFile, openServer],
  ['EventStoreDB to a file', openServer, openFile],
  ['a file to a file', openFile, openFile],
  ['EventStoreDB to EventStoreDB', openServer, openServer],
];

describe.each(PAIRS)('a copy of a log from %s', (_name, openSource, openTarget) => {
  it(
    'contains the whole log unchanged after three runs, two of them interrupted',
    async () => {
      const [source, target] = [await openSource(), await openTarget()];
      await fill(source);
      const before = await all(source);
      expect(before).toHaveLength(EVENTS);
      let appended = 0;
      for (const share of [0.3, 0.6]) {
        let isStopRequested = false;
        const report = await copy(source, target, {
          isStopRequested: () => isStopRequested,
          onProgress: ({ phase, events }) => (isStopRequested ||= phase === 'copy' && events > EVENTS * share),
        });
        expect(report).toMatchObject({ outcome: 'stopped', phase: 'copy' });
        expect(report.appended).toBeGreaterThan(0);
        appended += report.appended;
      }
      const report = await copy(source, target);
      expect(report).toMatchObject({ outcome: 'equal', faults: [], inspection: { events: EVENTS, held: EVENTS, streams: 2 * ORDERS } });
      expect(appended + report.appended).toBe(EVENTS);
      expect(shown(await all(target))).toStrictEqual(shown(before));
      expect(await all(source)).toStrictEqual(before);
      await expect(copy(source, target)).resolves.toMatchObject({ outcome: 'equal', appended: 0 });
      const parties = { source, target, selection: 'all', knownCategories: KNOWN, scheduler: systemScheduler } as const;
      await expect(verifyCopy(parties)).resolves.toMatchObject({ outcome: 'equal' });
      await new ChainedWriter(target).write(stream('order-of-somebody'));
      await expect(verifyCopy(parties)).resolves.toMatchObject({
        outcome: 'differs',
        faults: [{ stream: 'order-of-somebody', kind: 'target-alone' }],
      });
    },
    LIMIT_MS,
  );

  it(
    'is refused if a stream of the target has different events',
    async () => {
      const [source, target] = [await openSource(), await openTarget()];
      await fill(source);
      await new ChainedWriter(target).write(stream(`order-${ORDERS - 1}`), 2, 'request', 'other');
      const report = await copy(source, target);
      expect(report).toMatchObject({ outcome: 'refused', appended: 0, faults: [{ stream: `order-${ORDERS - 1}`, revision: 0n }] });
      expect(await all(target)).toHaveLength(2);
    },
    LIMIT_MS,
  );

  it(
    'of one order contains its streams in order',
    async () => {
      const [source, target] = [await openSource(), await openTarget()];
      await fill(source);
      const selection = [stream('delivery-7'), stream('order-7')];
      await expect(copy(source, target, { selection })).resolves.toMatchObject({ outcome: 'equal', appended: 6 });
      const places = (events: readonly StoredEvent[]) => events.map(({ stream: name, revision }) => `${name}@${revision}`);
      const wanted = (await all(source)).filter((event) => selection.includes(event.stream));
      expect(places(await all(target))).toStrictEqual(places(wanted));
    },
    LIMIT_MS,
  );
});

it(
  'a copy resumes without duplicates after the server is killed and restarted',
  async () => {
    const source = await openFile();
    await fill(source);
    const server = await serve();
    const target = await connect(server);
    let kills = 0;
    const isDue = (events: number): boolean => events > (EVENTS / 4) * (kills + 1);
    const restarts: Promise<void>[] = [];
    const report = await copy(source, target, {
      onProgress: ({ phase, events }) => {
        if (phase !== 'copy' || kills === 3 || !isDue(events)) return;
        kills += 1;
        restarts.push(server.restart());
      },
    });
    await Promise.all(restarts);
    expect(kills).toBe(3);
    expect(report).toMatchObject({ outcome: 'equal', appended: EVENTS });
    expect(shown(await all(target))).toStrictEqual(shown(await all(source)));
  },
  LIMIT_MS,
);

it(
  'a copy resumes at the event after which the server dropped the subscription',
  async () => {
    const server = await serve();
    const [source, target] = [await connect(server), await openFile()];
    await fill(source);
    for (const kind of ['unavailable', 'half-close', 'connection-lost'] as const) server.faults.subscription({ kind, afterEvents: 200 });
    await expect(copy(source, target)).resolves.toMatchObject({ outcome: 'equal', appended: EVENTS });
    expect(server.faults.pending).toBe(0);
    expect(shown(await all(target))).toStrictEqual(shown(await all(source)));
  },
  LIMIT_MS,
);

it(
  'a copy stops only in the damaged stream, before the row that fails its checksum',
  async () => {
    const path = join(folder, 'damaged.sqlite');
    const filled = await openFile(path);
    await fill(filled);
    await filled.close();
    const db = openDatabase(path);
    db.prepare(`UPDATE events SET data = replace(data, 'xxx', 'xyx') WHERE stream = 'order-3' AND revision = 2`).run();
    db.close();
    const source = kept(EmbeddedEventStore.openReader({ path, scheduler: systemScheduler }));
    const target = await openServer();
    const report = await copy(source, target);
    expect(report).toMatchObject({ outcome: 'differs', appended: EVENTS - 2 });
    expect(report.faults).toStrictEqual([
      {
        stream: 'order-3',
        revision: 2n,
        kind: 'source-broken',
        text: 'the source is broken at revision 2: the row does not fit its checksum',
      },
    ]);
    expect(await collect(target.read(stream('order-3')))).toHaveLength(2);
  },
  LIMIT_MS,
);
