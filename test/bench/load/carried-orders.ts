import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@app/databases/sqlite';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { Program } from '../harness/program';
import { registeredCard } from '../harness/registered-card';
import { RunningService } from '../harness/service';
import type { WorkFolder } from '../harness/work-folder';
import type { ReceiverQuestion } from '../programs/callback-receiver.program';
import { CONNECTIONS, LoadGenerator, type LoadResult } from './load';

const { openDatabase } = built<typeof import('@app/databases/sqlite')>('libs/databases/sqlite/index.js');

const LOOK_MS = 20;
const BATCH_TIMEOUT_MS = 300_000;
const PREFIX = 'carried';

export const tableOf = (db: Database, projection: string): string => {
  const row = db.prepare('SELECT generation FROM generations WHERE projection = ?').get(projection) as { generation: number } | undefined;
  if (row === undefined) throw new Error(`no generation of ${projection} serves`);
  return `${projection.replace(/[-:]/g, '_')}_g${row.generation}`;
};

type Statement = ReturnType<Database['prepare']>;

const countOf = (statement: Statement, ...asked: (string | number)[]): number => (statement.get(...asked) as { count: number }).count;

/** Counts only the newest rows, which belong to the batch. */
const approvedIn = (db: Database): Statement =>
  db.prepare(
    `SELECT count(*) AS count FROM (SELECT merchant, client_order_id, status FROM ${tableOf(db, 'order-status')} ORDER BY rowid DESC LIMIT ?)
     WHERE merchant = ? AND client_order_id GLOB ? AND status = 'approved'`,
  );

export interface CarriedOrdersOptions {
  readonly dataDir?: string;
  readonly silentGate?: string;
  /** The lane of the carried orders, if the work of other lanes stays open. */
  readonly lane?: string;
  readonly readyTimeoutMs?: number;
}

export interface Carried {
  /** From the first request until all callbacks are answered, all orders are final in the read model, and no work is open. */
  readonly elapsedMs: number;
  readonly accepted: LoadResult;
  readonly endedMeanwhile: number;
}

interface Parts {
  readonly receiver: Program<ReceiverQuestion, number>;
  readonly service: RunningService;
  readonly dataDir: string;
  readonly callbackPort: number;
  readonly cardRefId: string;
  readonly lane: string | undefined;
}

export class CarriedOrders {
  readonly #parts: Parts;
  readonly #generator = new LoadGenerator();
  #carried = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async start(folder: WorkFolder, options: CarriedOrdersOptions = {}): Promise<CarriedOrders> {
    const { dataDir = folder.folder('carried'), silentGate, lane, readyTimeoutMs } = options;
    const receiver = new Program<ReceiverQuestion, number>('callback-receiver');
    const callbackPort = await receiver.ask({ kind: 'listen' }, BATCH_TIMEOUT_MS);
    const configurationPath = folder.configuration({ callbackPort });
    const service = await RunningService.start({ dataDir, configurationPath, roles: 'api,worker', silentGate, readyTimeoutMs });
    const cardRefId = await registeredCard(service.port);
    return new CarriedOrders({ receiver, service, dataDir, callbackPort, cardRefId, lane });
  }

  get servicePid(): number {
    return this.#parts.service.pid;
  }

  get cardRefId(): string {
    return this.#parts.cardRefId;
  }

  async carry(count: number): Promise<Carried> {
    const { receiver, service, callbackPort, cardRefId } = this.#parts;
    this.#carried += count;
    const startedAt = performance.now();
    const delivered = receiver.ask({ kind: 'wait', count: this.#carried }, BATCH_TIMEOUT_MS);
    const callbackUrl = `http://127.0.0.1:${callbackPort}/callback`;
    const accepting = this.#generator.run({
      ports: [service.port],
      connections: CONNECTIONS,
      requests: { kind: 'recurrent-payments', cardRefId, prefix: PREFIX, callbackUrl },
      prepare: count,
    });
    const ended = accepting.then(() => this.#approved(count));
    const [accepted, endedMeanwhile] = await Promise.all([accepting, ended, delivered]);
    await this.#untilProjected(count, startedAt + BATCH_TIMEOUT_MS);
    return { elapsedMs: performance.now() - startedAt, accepted, endedMeanwhile };
  }

  note(): string {
    return this.#generator.note();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#parts.receiver.stop(), this.#generator.stop(), this.#parts.service.stop()]);
  }

  async #untilProjected(count: number, until: number): Promise<void> {
    const { lane } = this.#parts;
    await this.#inReadModel(async (db) => {
      const approved = approvedIn(db);
      const openOf = (name: string, ofLane = ''): Statement => db.prepare(`SELECT count(*) AS count FROM ${tableOf(db, name)}${ofLane}`);
      const [orders, deliveries] = [
        openOf('open-work:orders', lane === undefined ? '' : ` WHERE lane IN ('${lane}', '${lane} inquiries')`),
        openOf('open-work:deliveries'),
      ];
      const final = (): number => countOf(approved, count, ACME.login, `${PREFIX}*`);
      while (countOf(deliveries) > 0 || countOf(orders) > 0 || final() < count) {
        if (performance.now() > until) throw new Error(`of ${count} orders ${final()} became final`);
        await delay(LOOK_MS);
      }
    });
  }

  #approved(count: number): Promise<number> {
    return this.#inReadModel((db) => countOf(approvedIn(db), count, ACME.login, `${PREFIX}*`));
  }

  async #inReadModel<Result>(look: (db: Database) => Promise<Result> | Result): Promise<Result> {
    const db = openDatabase(join(this.#parts.dataDir, 'read-model.sqlite'), { readOnly: true });
    try {
      return await look(db);
    } finally {
      db.close();
    }
  }
}
