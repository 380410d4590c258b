import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemScheduler, type Instant, type NonEmpty } from '@app/kernel';
import { migrate, openDatabase, type Database } from '@app/databases/sqlite';
import { seededRandom, wholeNumber } from '@app/testing';
import { BrokenChain, hashOf } from '../../core/chain';
import { metadataWriter, type Envelope } from '../../core/envelope';
import { eventId } from '../../core/names-and-ids';
import { StoreUnavailable, type NewEvent, type Revision, type StoredEvent, type StreamName } from '../../core/port';
import { CHECK_BOUNDS, checkLog, type CheckBounds, asLogDamaged, LogDamaged } from './check-log';
import { EmbeddedEventStore } from './embedded-event-store';
import { SqliteEventLogReader } from './event-log-reader';
import { EVENT_LOG_MIGRATIONS } from './event-row';

const OFFSETS = wholeNumber('DAMAGE_OFFSETS', 50);
const TAIL_BYTES = wholeNumber('DAMAGE_TAIL_KIB', 32) * 1_024;
const SEED = wholeNumber('DAMAGE_SEED', 20_240);
const SECTOR_BYTES = 512;
const BATCHES = 60;
const BATCH_EVENTS_MAX = 3;
/** Longer than a page, so that some rows continue on overflow pages. */
const TEXT_CHARACTERS_MAX = 5_000;
const NAME = 'events.sqlite';
const PARTS = ['', '-wal'] as const;
const TAIL_ONLY: CheckBounds = { ...CHECK_BOUNDS, wholeBytesMax: 0 };

jest.setTimeout(60_000 + OFFSETS * 1_000);

const folder = mkdtempSync(join(tmpdir(), 'damaged-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Image {
  readonly name: string;
  readonly files: ReadonlyMap<(typeof PARTS)[number], Buffer>;
  readonly written: readonly StoredEvent[];
  readonly batchEnds: ReadonlySet<number>;
}

const eventsOf = async (path: string): Promise<readonly StoredEvent[]> => {
  const reader = new SqliteEventLogReader(path);
  try {
    const events: StoredEvent[] = [];
    for await (const item of reader.subscribe('all', 'start')) {
      if (item.kind === 'caught-up') break;
      if (item.kind === 'event') events.push(item.event);
    }
    return events;
  } finally {
    await reader.close();
  }
};

const openStore = (path: string): Promise<EmbeddedEventStore> =>
  EmbeddedEventStore.open({ path, clock: systemClock, scheduler: systemScheduler });

const ENVELOPE: Envelope = {
  correlation: 'request',
  causation: 'request',
  actor: 'test',
  merchant: 'acme',
  commandId: 'request',
  recordedAt: 1_704_067_200_000 as Instant,
};

class LogFiller {
  readonly batchEnds = new Set([0]);
  readonly #ends = new Map<StreamName, { readonly revision: number; readonly hash: string }>();
  readonly #random = seededRandom(SEED);
  #count = 0;

  async write(store: EmbeddedEventStore, batches: number): Promise<void> {
    for (let batch = 0; batch < batches; batch++) {
      const stream = `payment-${Buffer.from(`stream ${this.#below(batches)}`)
        .toString('hex')
        .padEnd(52, 'a')}` as StreamName;
      const content = 'x'.repeat(this.#below(TEXT_CHARACTERS_MAX));
      const before = this.#ends.get(stream)?.revision;
      const events = Array.from({ length: 1 + this.#below(BATCH_EVENTS_MAX) }, () => this.#next(stream, content)) as [
        NewEvent,
        ...NewEvent[],
      ];
      await this.#append(store, stream, before, events);
      this.#count += events.length;
      this.batchEnds.add(this.#count);
    }
  }

  async #append(store: EmbeddedEventStore, stream: StreamName, before: number | undefined, events: NonEmpty<NewEvent>): Promise<void> {
    const { kind } = await store.append(stream, before === undefined ? 'no_stream' : (BigInt(before) as Revision), events);
    if (kind !== 'appended') throw new Error(`${stream}: a conflict`);
  }

  #next(stream: StreamName, content: string): NewEvent {
    const end = this.#ends.get(stream);
    const revision = end === undefined ? 0 : end.revision + 1;
    const event: NewEvent = {
      id: eventId(stream, `at ${revision}`, 0),
      type: 'Tested',
      data: JSON.stringify({ content }),
      metadata: metadataWriter(ENVELOPE, stream)(end?.hash ?? null, 1),
    };
    this.#ends.set(stream, { revision, hash: hashOf(event) });
    return event;
  }

  #below(max: number): number {
    return Math.floor(this.#random.fraction() * max);
  }
}

const imageOf = async (name: string, path: string, { batchEnds }: LogFiller): Promise<Image> => {
  const files = new Map(PARTS.filter((part) => existsSync(path + part)).map((part) => [part, readFileSync(path + part)]));
  const copy = join(folder, `${name}.written`);
  mkdirSync(copy);
  for (const [part, bytes] of files) writeFileSync(join(copy, NAME + part), bytes);
  return { name, files, written: await eventsOf(join(copy, NAME)), batchEnds: new Set(batchEnds) };
};

/** A closed log, a killed one with all events in the write-ahead log, and a killed one with a partial checkpoint. */
const makeImages = async (): Promise<readonly Image[]> => {
  const path = join(folder, NAME);
  let store = await openStore(path);
  const filler = new LogFiller();
  await filler.write(store, BATCHES);
  await store.close();
  const closed = await imageOf('closed', path, filler);
  store = await openStore(path);
  await filler.write(store, BATCHES / 2);
  const killed = await imageOf('killed', path, filler);
  const other = openDatabase(path);
  // An open reader prevents SQLite from restarting the write-ahead log.
  const reader = openDatabase(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM events').get();
  await filler.write(store, BATCHES / 4);
  other.exec('PRAGMA wal_checkpoint(PASSIVE)');
  const folded = await imageOf('killed while it was folded', path, filler);
  reader.close();
  other.close();
  await store.close();
  return [closed, killed, folded];
};

interface Damage {
  readonly part: (typeof PARTS)[number];
  readonly kind: 'cut' | 'flip';
  readonly at: number;
  readonly bit: number;
}

const damagesOf = ({ files }: Image): readonly Damage[] => {
  const random = seededRandom(SEED);
  const below = (max: number): number => Math.floor(random.fraction() * max);
  return [...files].flatMap(([part, { length }]) => {
    const first = Math.max(0, Math.ceil((length - TAIL_BYTES) / SECTOR_BYTES) * SECTOR_BYTES);
    const boundaries = Array.from({ length: Math.ceil((length - first) / SECTOR_BYTES) }, (_, index) => first + index * SECTOR_BYTES);
    return [
      ...boundaries.map((at): Damage => ({ part, kind: 'cut', at, bit: 0 })),
      ...boundaries.map((at): Damage => ({ part, kind: 'flip', at: Math.min(at + below(SECTOR_BYTES), length - 1), bit: below(8) })),
      ...Array.from({ length: OFFSETS }, (): Damage => ({ part, kind: below(2) === 0 ? 'cut' : 'flip', at: below(length), bit: below(8) })),
    ];
  });
};

const place = join(folder, 'damaged');
const damagedCopy = ({ files }: Image, { part: damagedPart, kind, at, bit }: Damage): string => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  for (const [part, whole] of files) {
    let bytes = whole;
    if (part === damagedPart && kind === 'cut') bytes = whole.subarray(0, at);
    if (part === damagedPart && kind === 'flip') {
      bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    }
    writeFileSync(join(place, NAME + part), bytes);
  }
  return join(place, NAME);
};

const openAsWriter = (path: string, bounds?: CheckBounds): void => {
  let db: Database | undefined;
  try {
    db = openDatabase(path);
    migrate(db, path, EVENT_LOG_MIGRATIONS);
    checkLog(db, bounds);
  } catch (error) {
    throw asLogDamaged(path, error);
  } finally {
    db?.close();
  }
};

/** The store's own time is not part of the chain (architecture, rule 7). */
const isSame = (one: StoredEvent, other: StoredEvent | undefined): boolean =>
  other !== undefined &&
  (['id', 'type', 'data', 'metadata', 'stream', 'revision', 'position'] as const).every((name) => one[name] === other[name]);

/** @returns the number of events in a damaged log, and a fault unless they are a prefix that ends with a whole append */
const look = async (path: string, { written, batchEnds }: Image): Promise<{ readonly count: number; readonly fault?: string }> => {
  const events = await eventsOf(path);
  const count = events.length;
  if (!events.every((event, index) => isSame(event, written[index]))) return { count, fault: `${count} events that were not written so` };
  if (!batchEnds.has(count)) return { count, fault: `${count} events: an append is torn` };
  const wanted = new Map<StreamName, string[]>(written.map(({ stream }) => [stream, []]));
  for (const { stream, id } of events) wanted.get(stream)?.push(id);
  const reader = new SqliteEventLogReader(path);
  try {
    for (const [stream, ids] of wanted) {
      const found: string[] = [];
      for await (const { id } of reader.read(stream)) found.push(id);
      if (found.join() !== ids.join()) return { count, fault: `${stream} has ${found.length} events of ${ids.length}` };
    }
    return { count };
  } finally {
    await reader.close();
  }
};

const shown = ({ part, kind, at, bit }: Damage): string => `events.sqlite${part}: ${kind} at ${at}${kind === 'flip' ? ` bit ${bit}` : ''}`;

describe(`a log file damaged on disk (safety, B7; DAMAGE_SEED=${SEED})`, () => {
  let images: readonly Image[];
  beforeAll(async () => {
    images = await makeImages();
  });

  it('opens as a clean prefix, or is refused with a one-line error, when cut or bit-flipped at any tested offset', async () => {
    const faults: string[] = [];
    let [refused, prefix, whole] = [0, 0, 0];
    for (const image of images) {
      for (const damage of damagesOf(image)) {
        const path = damagedCopy(image, damage);
        try {
          openAsWriter(path);
        } catch (error) {
          refused += 1;
          const { message } = error as Error;
          const isSaid = error instanceof LogDamaged || /schema \d+ is newer than this release knows/.test(message);
          if (!isSaid || message.includes('\n')) faults.push(`${image.name}, ${shown(damage)}: ${String(error)}`);
          continue;
        }
        const { count, fault } = await look(path, image).catch((error: unknown) => ({
          count: 0,
          fault: `opened, and then: ${String(error)}`,
        }));
        if (fault !== undefined) faults.push(`${image.name}, ${shown(damage)}: ${fault}`);
        else if (count === image.written.length) whole += 1;
        else prefix += 1;
      }
    }
    process.stdout.write(`\ndamaged logs: ${refused} refused, ${prefix} a clean prefix, ${whole} whole\n`);
    expect(faults).toStrictEqual([]);
    expect(Math.min(refused, prefix)).toBeGreaterThan(0);
  });

  it('is refused on opening if the end of a large log is damaged, and on reading otherwise', async () => {
    const faults: string[] = [];
    let refused = 0;
    for (const image of images) {
      for (const damage of damagesOf(image).filter((_, index) => index % 5 === 0)) {
        const path = damagedCopy(image, damage);
        try {
          openAsWriter(path, TAIL_ONLY);
        } catch {
          refused += 1;
          continue;
        }
        const { fault } = await look(path, image).catch((error: unknown) => {
          if (error instanceof BrokenChain || error instanceof StoreUnavailable) return { fault: undefined };
          return { fault: `opened, and then: ${String(error)}` };
        });
        if (fault !== undefined) faults.push(`${image.name}, ${shown(damage)}: ${fault}`);
      }
    }
    expect(faults).toStrictEqual([]);
    expect(refused).toBeGreaterThan(0);
  });

  it.each(['zzz', 'pay', 'payment-', ''])(
    'is not readable in any category if one row has the category %j, even outside the range checked on opening',
    async (category) => {
      const [closed] = images;
      if (closed === undefined) throw new Error('no image');
      const path = damagedCopy(closed, { part: '', kind: 'cut', at: closed.files.get('')?.length ?? 0, bit: 0 });
      const db = openDatabase(path);
      db.prepare('UPDATE events SET category = ? WHERE position = 3').run(category);
      db.close();
      expect(() => openAsWriter(path)).toThrow('the row does not fit its category');
      expect(() => openAsWriter(path, { wholeBytesMax: 0, tailEventsMax: 5 })).not.toThrow();
      const reader = new SqliteEventLogReader(path);
      const readAll = async (wanted: readonly string[] | 'all'): Promise<number> => {
        let events = 0;
        for await (const item of reader.subscribe(wanted, 'start')) {
          if (item.kind === 'caught-up') break;
          if (item.kind === 'event') events += 1;
        }
        return events;
      };
      for (const wanted of ['all', ['payment'], ['transfer', 'operator'], ['zzz', 'pay']] as const)
        await expect(readAll(wanted)).rejects.toThrow('the row does not fit its category');
      await reader.close();
    },
  );

  it('is refused on opening with the fault and the advice, and opens once it is restored', async () => {
    const [closed] = images;
    if (closed === undefined) throw new Error('no image');
    const middle = Math.floor((closed.files.get('')?.length ?? 0) / 2);
    const path = damagedCopy(closed, { part: '', kind: 'flip', at: middle, bit: 3 });
    await expect(openStore(path)).rejects.toThrow(
      /^\S+events\.sqlite cannot be read, or is damaged: [^\n]+\. It is not served: restore a back-up, or copy what is whole with "orch copy-log" \(docs\/recover\.md, "A damaged log file"\)$/,
    );
    const stranger = join(folder, 'stranger.sqlite');
    writeFileSync(stranger, 'this is no database, but a text that is long enough to be looked at'.repeat(20));
    await expect(openStore(stranger)).rejects.toThrow(/stranger\.sqlite cannot be read, or is damaged: file is not a database\. /);
    copyFileSync(join(folder, 'closed.written', NAME), path);
    const store = await openStore(path);
    const stream = 'payment-after' as StreamName;
    await store.append(stream, 'no_stream', [
      { id: eventId(stream, 'after', 0), type: 'Tested', data: '{}', metadata: metadataWriter(ENVELOPE, stream)(null, 1) },
    ]);
    await store.close();
    expect(await eventsOf(path)).toHaveLength(closed.written.length + 1);
  });
});
