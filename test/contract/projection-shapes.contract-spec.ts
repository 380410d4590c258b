import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventId, metadataWriter, type EventId, type NewEvent, type Position, type Revision, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { systemClock, type Instant } from '@app/kernel';
import { decodeAny, openWorkDefinitions } from '@app/read-models/queries';
import { openReadModel } from '@app/read-models';
import { openDatabase, type Database } from '@app/databases/sqlite';

const ROOT = join(__dirname, '..', '..');
const PINNED = join(__dirname, 'golden', 'projection-shapes.json');
/** Orders of every kind, as scripted runs wrote them: `[run, stream, revision, id, type, data, metadata]`. */
const ORDERS = join(ROOT, 'test', 'simulation', 'golden', 'stored-bytes.jsonl');
const FIRST_EVENTS = [
  { category: 'cardReference', file: 'libs/card-registration/golden/CardReferenceIssued.v1.json' },
  { category: 'delivery', file: 'libs/callbacks/golden/CallbackFailed.v1.answered.json' },
  { category: 'delivery', file: 'libs/callbacks/golden/CallbackResendRequested.v1.json' },
  { category: 'operator', file: 'libs/investigation/record/golden/operator/OperatorActionBegun.v1.json' },
  { category: 'operator', file: 'libs/investigation/record/golden/operator/OperatorActionEnded.v1.json' },
  { category: 'operator', file: 'libs/investigation/record/golden/operator/OperatorQueryAnswered.v1.revealed.json' },
  { category: 'operator', file: 'libs/investigation/record/golden/operator/OperatorRequestsRefused.v1.json' },
  { category: 'configuration', file: 'libs/investigation/record/golden/configuration/ConfigurationTookEffect.v1.json' },
  { category: 'reconciliation', file: 'libs/reconciliation/golden/CaseOpened.v1.json' },
];
const AT = 1_704_067_200_000 as Instant;

/** Runs share ids, so each is a separate log. */
interface LogLine {
  readonly run: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly event: NewEvent;
}
type StoredLine = [run: string, stream: StreamName, revision: number, id: EventId, type: string, data: string, metadata: string];

const orderLines = (): readonly LogLine[] =>
  readFileSync(ORDERS, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [run, stream, revision, id, type, data, metadata] = JSON.parse(line) as StoredLine;
      return { run, stream, revision, event: { id, type, data, metadata } };
    });

const firstEvents = (): readonly LogLine[] =>
  FIRST_EVENTS.map(({ category, file }, index) => {
    const { type, version, data } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { type: string; version: number; data: object };
    const stream = `${category}-${index}` as StreamName;
    const envelope = { correlation: 'c', causation: 'c', actor: 'a', merchant: 'acme', commandId: file, recordedAt: AT };
    const metadata = metadataWriter(envelope, stream)(null, version);
    return {
      run: 'first events',
      stream,
      revision: 0,
      event: { id: eventId(stream, file, 0), type, data: JSON.stringify(data), metadata },
    };
  });

const LINES = [...orderLines(), ...firstEvents()];
const RUNS = [...new Set(LINES.map(({ run }) => run))].map((run) => LINES.filter((line) => line.run === run));

interface Shape {
  readonly shape: number;
  readonly rows: string;
}

const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const select = (db: Database, query: string) => db.prepare(query).all() as readonly Readonly<Record<string, unknown>>[];

/** Table names of generation 1 begin with their projection's name: `open-work:orders` becomes `open_work_orders`. */
const contentsOf = (db: Database, projection: string): readonly string[] => {
  const prefix = `${projection.replaceAll(/[-:]/g, '_')}_g`;
  const made = select(db, 'SELECT name, tbl_name, type, sql FROM sqlite_master ORDER BY name').filter(({ tbl_name: table }) =>
    String(table).startsWith(prefix),
  );
  const tables = made.filter(({ type }) => type === 'table').map(({ name }) => String(name));
  const rows = tables.flatMap((table) => select(db, `SELECT * FROM ${table}`).map((row) => JSON.stringify(row)));
  return [...made.map(({ sql }) => String(sql)), ...rows.sort()];
};

const fold = async (run: readonly LogLine[], path: string, seen: Map<string, { shape: number; contents: string[] }>): Promise<void> => {
  const store = new MemoryEventStore(systemClock);
  const model = await openReadModel({ path, log: store, decode: decodeAny, clock: systemClock, openWork: openWorkDefinitions });
  await model.build();
  const db = openDatabase(path, { readOnly: true });
  try {
    const projections = select(db, 'SELECT projection, shape FROM generations ORDER BY projection');
    for (const [index, { stream, revision, event }] of run.entries()) {
      const position = String(index + 1) as Position;
      await model.apply([{ ...event, stream, revision: BigInt(revision) as Revision, position, createdMs: AT }], position);
      for (const { projection, shape } of projections) {
        const before = seen.get(String(projection))?.contents ?? [];
        seen.set(String(projection), { shape: Number(shape), contents: [...before, ...contentsOf(db, String(projection))] });
      }
    }
    expect(await model.parkedStreams(10)).toStrictEqual([]);
  } finally {
    db.close();
    await model.close();
    await store.close();
  }
};

const shapesNow = async (): Promise<Readonly<Record<string, Shape>>> => {
  const folder = mkdtempSync(join(tmpdir(), 'projection-shapes-'));
  const seen = new Map<string, { shape: number; contents: string[] }>();
  try {
    for (const [index, run] of RUNS.entries()) await fold(run, join(folder, `${index}.sqlite`), seen);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const shapes = [...seen].map(([name, { shape, contents }]) => [name, { shape, rows: hexOf(contents.join('\n')) }] as const);
  return Object.fromEntries(shapes);
};

/**
 * An installation rebuilds a projection only if its shape changed, so different rows need a different shape.
 * `WRITE_GOLDEN=projection-shapes` writes the digests and refuses a violation.
 */
it('a projection whose rows change for the same events has a new shape', async () => {
  const log = hexOf(JSON.stringify(LINES));
  const projections = await shapesNow();
  const pinned = JSON.parse(readFileSync(PINNED, 'utf8')) as { log: string; projections: Readonly<Record<string, Shape>> };
  const isOfSameShape = (name: string, { shape, rows }: Shape): boolean =>
    log === pinned.log && pinned.projections[name]?.shape === shape && pinned.projections[name].rows !== rows;
  expect(Object.keys(projections).filter((name) => isOfSameShape(name, projections[name] as Shape))).toStrictEqual([]);
  if (process.env['WRITE_GOLDEN'] === 'projection-shapes') writeFileSync(PINNED, `${JSON.stringify({ log, projections }, null, 2)}\n`);
  else expect({ log, projections }).toStrictEqual(pinned);
});
