import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@app/sqlite';
import { built } from '../harness/built';
import { Program } from '../harness/program';
import { registeredCard } from '../harness/registered-card';
import { RunningService } from '../harness/service';
import type { WorkFolder } from '../harness/work-folder';
import type { ReceiverQuestion } from '../programs/callback-receiver.program';
import { LoadGenerator } from './load';

const { openDatabase } = built<typeof import('@app/sqlite')>('libs/sqlite/index.js');

const CONNECTIONS = 64;
const LOOK_MS = 20;
const BATCH_TIMEOUT_MS = 300_000;

/** Table of the generation that serves, as the read model's own register names it. */
const tableOf = (db: Database, projection: string): string => {
  const row = db.prepare('SELECT generation FROM generations WHERE projection = ?').get(projection) as { generation: number } | undefined;
  if (row === undefined) throw new Error(`no generation of ${projection} serves`);
  return `${projection.replace(/[-:]/g, '_')}_g${row.generation}`;
};

/** The whole service with a merchant's server that takes its callbacks: carries batches of orders from acceptance to delivered callback. */
export class CarriedOrders {
  readonly #receiver: Program<ReceiverQuestion, number>;
  readonly #generator = new LoadGenerator();
  readonly #service: RunningService;
  readonly #dataDir: string;
  readonly #callbackUrl: string;
  readonly #cardRefId: string;
  #carried = 0;

  private constructor(
    receiver: Program<ReceiverQuestion, number>,
    service: RunningService,
    dataDir: string,
    callbackPort: number,
    cardRefId: string,
  ) {
    this.#receiver = receiver;
    this.#service = service;
    this.#dataDir = dataDir;
    this.#callbackUrl = `http://127.0.0.1:${callbackPort}/callback`;
    this.#cardRefId = cardRefId;
  }

  static async start(folder: WorkFolder, nodeOptions: readonly string[] = []): Promise<CarriedOrders> {
    const receiver = new Program<ReceiverQuestion, number>('callback-receiver');
    const port = await receiver.ask({ kind: 'listen' }, BATCH_TIMEOUT_MS);
    const dataDir = folder.folder('carried');
    const service = await RunningService.start({
      dataDir,
      configurationPath: folder.configuration(port),
      roles: 'api,worker',
      nodeOptions,
    });
    return new CarriedOrders(receiver, service, dataDir, port, await registeredCard(service.port, 'registration'));
  }

  get servicePid(): number {
    return this.#service.pid;
  }

  /** From the first request until the last callback is answered, every order is final in the read model and no work is open, in ms. */
  async carry(count: number): Promise<number> {
    this.#carried += count;
    const startedAt = performance.now();
    const delivered = this.#receiver.ask({ kind: 'wait', count: this.#carried }, BATCH_TIMEOUT_MS);
    const accepted = this.#generator.run({
      ports: [this.#service.port],
      connections: CONNECTIONS,
      requests: { kind: 'recurrent-payments', cardRefId: this.#cardRefId, prefix: 'carried', callbackUrl: this.#callbackUrl },
      prepare: count,
    });
    await Promise.all([accepted, delivered]);
    await this.#untilProjected(startedAt + BATCH_TIMEOUT_MS);
    return performance.now() - startedAt;
  }

  note(): string {
    return this.#generator.note();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#receiver.stop(), this.#generator.stop(), this.#service.stop()]);
  }

  async #untilProjected(until: number): Promise<void> {
    const db = openDatabase(join(this.#dataDir, 'read-model.sqlite'), { readOnly: true });
    try {
      const approved = db.prepare(
        `SELECT count(*) AS count FROM ${tableOf(db, 'order-status')} WHERE status = 'approved' AND kind = 'recurring'`,
      );
      const open = ['open-work:orders', 'open-work:deliveries'].map((name) =>
        db.prepare(`SELECT count(*) AS count FROM ${tableOf(db, name)}`),
      );
      const countOf = (statement: (typeof open)[number]): number => (statement.get() as { count: number }).count;
      while (open.some((statement) => countOf(statement) > 0) || countOf(approved) < this.#carried) {
        if (performance.now() > until) throw new Error(`of ${this.#carried} orders ${countOf(approved)} became final`);
        await delay(LOOK_MS);
      }
    } finally {
      db.close();
    }
  }
}
