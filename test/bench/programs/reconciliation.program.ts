import { closeSync, createReadStream, openSync, statSync, writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import { SETTLEMENT_GAP_MS, settlementKey, type CompareSettlement, type FillSettlement, type SettlementCompared } from '../load/settlement';

const { openReadModel } = built<typeof import('@app/projections')>('libs/projections/index.js');
const { openReadModelReader } = built<typeof import('@app/projections')>('libs/projections/index.js');
const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { ReconcileFile, csvRecord } = built<typeof import('@app/reconciliation')>('libs/reconciliation/index.js');
const { settlementFormatOf } = built<typeof import('@app/gateway-adapters/registry')>('libs/gateway-adapters/registry.js');
/** Of the engine, what fills a table as the projection does. */
interface Table<Database> {
  gather(db: Database, events: readonly object[], isParked: () => boolean): Promise<unknown>;
  flush(db: Database): Promise<void>;
  committed(): void;
}
interface Filled {
  readonly writes: { transaction(): { execute(work: (db: object) => Promise<void>): Promise<void> } };
  close(): Promise<void>;
}
const { FoldedTable } = built<{ readonly FoldedTable: new (name: string, shape: object, isBuilding: boolean) => Table<object> }>(
  'libs/projections/engine/folded-table.js',
);
const { openReadModelDatabase } = built<{ openReadModelDatabase(at: { readonly path: string }): Promise<Filled> }>(
  'libs/projections/engine/database/open-database.js',
);
const { ownAttempts } = built<typeof import('../../../apps/cli/src/reconciliation/own-attempts')>(
  'apps/cli/src/reconciliation/own-attempts.js',
);

const FROM = 1_767_225_600_000;
const ROWS_AT_ONCE = 5_000;
const GATE = 'gate';
const SAMPLE_MS = 20;
const MIB = 1_048_576;

const at = (number: number): number => FROM + number * SETTLEMENT_GAP_MS;

/** Rows as the projection writes them, each from one event that holds its view. */
const tableOf = () =>
  new FoldedTable(
    'gate_attempts_g1',
    {
      fold: (_before: object | undefined, { event }: { readonly event: { readonly data: object } }) => event.data,
      isFinished: () => true,
      columns: { accepted_at: 'bigint', touched_at: 'bigint' },
      fixed: ['accepted_at'],
      valuesOf: ({ acceptedAt }: { readonly acceptedAt: number }, recordedAt: number) => [acceptedAt, recordedAt],
      create: () => Promise.resolve(),
      index: () => Promise.resolve(),
    },
    true,
  );

const viewOf = (number: number): object => {
  const key = settlementKey(number);
  const orderId = `p${String(number).padStart(14, '0')}r`;
  const asked = {
    key,
    original: key,
    followUp: null,
    operation: 'sale',
    gate: GATE,
    amountMinor: '1042',
    currency: 'USD',
    status: 'approved',
    askedAt: at(number),
    answeredAt: at(number),
    processedAt: at(number),
    commissionMinor: null,
    gateOrderId: null,
    rrn: '123456789013',
  };
  return { merchant: 'acme', orderId, endpointId: '1001', operation: 'sale', acceptedAt: at(number), asked: [asked] };
};

const fill = async ({ path, csv, orders }: FillSettlement): Promise<void> => {
  const log = await EmbeddedEventStore.open({ path: `${path}.log`, clock: systemClock, scheduler: systemScheduler });
  const model = await openReadModel({ path, log, decode: () => undefined, clock: systemClock });
  await model.build();
  await model.close();
  await log.close();
  const database = await openReadModelDatabase({ path });
  const table = tableOf();
  for (let from = 0; from < orders; from += ROWS_AT_ONCE) {
    const events = Array.from({ length: Math.min(ROWS_AT_ONCE, orders - from) }, (_, index) => {
      const number = from + index;
      return {
        stream: `payment-${String((number * 7_919) % orders).padStart(52, 'a')}`,
        category: 'payment',
        id: 'id',
        revision: 0n,
        position: String(number),
        event: { type: 'Made', data: viewOf(number) },
        metadata: { recordedAt: at(number) },
        isReadable: true,
      };
    });
    await database.writes.transaction().execute(async (db) => {
      await table.gather(db, events, () => false);
      await table.flush(db);
    });
    table.committed();
  }
  await database.close();
  const format = settlementFormatOf('simulator');
  const file = openSync(csv, 'w');
  writeSync(file, csvRecord(format?.columns ?? []));
  for (let number = 0; number < orders; number++) {
    const key = settlementKey(number);
    writeSync(
      file,
      csvRecord([key, key, 'charge', 'approved', '10.42', 'USD', '', new Date(at(number)).toISOString(), 'order', '123456789013']),
    );
  }
  closeSync(file);
};

const compare = async ({ path, csv }: CompareSettlement): Promise<SettlementCompared> => {
  const format = settlementFormatOf('simulator');
  if (format === undefined) throw new Error('the simulator has no settlement format');
  const reader = await openReadModelReader({ path });
  let resident = 0;
  const sample = (): void => {
    resident = Math.max(resident, process.memoryUsage.rss());
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const run = new ReconcileFile({
    gate: GATE,
    format,
    file: createReadStream(csv, { highWaterMark: 262_144 }),
    sizeBytes: statSync(csv).size,
    own: ownAttempts(reader),
    settledBy: systemClock.now(),
    onFinding: () => undefined,
    onProgress: sample,
  });
  const { lines, counts } = await run.run();
  const elapsedMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  clearInterval(sampling);
  await reader.close();
  return { lines, matched: counts.matched, elapsedMs, cpuMs: (user + system) / 1_000, residentMaxMib: resident / MIB };
};

answerQuestions((question: FillSettlement | CompareSettlement): Promise<SettlementCompared | void> =>
  question.kind === 'fill' ? fill(question) : compare(question),
);
