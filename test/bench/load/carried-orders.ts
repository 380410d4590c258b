import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@app/sqlite';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { Program } from '../harness/program';
import { registeredCard } from '../harness/registered-card';
import { RunningService } from '../harness/service';
import type { WorkFolder } from '../harness/work-folder';
import type { ReceiverQuestion } from '../programs/callback-receiver.program';
import { LoadGenerator, type LoadResult } from './load';

const { openDatabase } = built<typeof import('@app/sqlite')>('libs/sqlite/index.js');

const CONNECTIONS = 64;
const LOOK_MS = 20;
const BATCH_TIMEOUT_MS = 300_000;
/** Items of work that may be due at any moment although all is well, because a waiting order needs some now and then. */
const DUE_BESIDE_MAX = 16;
/** The beginning of the client_orderids of carried orders. */
const PREFIX = 'carried';

/** The table of the generation that serves, as the read model's own register names it. */
const tableOf = (db: Database, projection: string): string => {
  const row = db.prepare('SELECT generation FROM generations WHERE projection = ?').get(projection) as { generation: number } | undefined;
  if (row === undefined) throw new Error(`no generation of ${projection} serves`);
  return `${projection.replace(/[-:]/g, '_')}_g${row.generation}`;
};

type Statement = ReturnType<Database['prepare']>;

const countOf = (statement: Statement, ...asked: (string | number)[]): number => (statement.get(...asked) as { count: number }).count;

/** Of the newest rows, which are those of a batch. */
const approvedIn = (db: Database): Statement =>
  db.prepare(
    `SELECT count(*) AS count FROM (SELECT merchant, client_order_id, status FROM ${tableOf(db, 'order-status')} ORDER BY rowid DESC LIMIT ?)
     WHERE merchant = ? AND client_order_id GLOB ? AND status = 'approved'`,
  );

export interface CarriedOrdersOptions {
  /** The service's data directory; made where it is absent. */
  readonly dataDir?: string;
  /** Waiting orders in it that do not end meanwhile. */
  readonly waiting?: number;
  readonly nodeOptions?: readonly string[];
  /** Alias of a gate that never answers. */
  readonly silentGate?: string;
  /** The lane of the carried orders, where waiting orders have others, which then are not counted. */
  readonly lane?: string;
  readonly readyTimeoutMs?: number;
  readonly operatorPort?: number;
  /** Sales without a CVV instead of recurrent payments. */
  readonly isOfSales?: boolean;
  /** The upstream gateway that is the gate of these orders. */
  readonly upstreamPort?: number;
  /** How long the circuit of a gate that fails stays open at least; as the configuration has it by default where it is absent. */
  readonly circuitOpenSeconds?: number;
}

export interface Carried {
  /** From the first request until the last callback is answered, every order is final in the read model and no work of theirs is open. */
  readonly elapsedMs: number;
  readonly accepted: LoadResult;
  /** Orders that were approved in the read model when the last one was accepted. */
  readonly endedMeanwhile: number;
}

interface Parts {
  readonly receiver: Program<ReceiverQuestion, number>;
  readonly service: RunningService;
  readonly dataDir: string;
  readonly callbackPort: number;
  /** The card of recurrent payments; undefined where sales are carried. */
  readonly cardRefId: string | undefined;
  readonly waiting: number;
  readonly lane: string | undefined;
}

/** The whole service with a merchant's server that accepts its callbacks: carries batches of orders from acceptance to delivered callback. */
export class CarriedOrders {
  readonly #parts: Parts;
  readonly #generator = new LoadGenerator();
  #carried = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async start(folder: WorkFolder, options: CarriedOrdersOptions = {}): Promise<CarriedOrders> {
    const { dataDir = folder.folder('carried'), waiting = 0, nodeOptions = [], silentGate, lane } = options;
    const { readyTimeoutMs, operatorPort, isOfSales = false, upstreamPort, circuitOpenSeconds } = options;
    const receiver = new Program<ReceiverQuestion, number>('callback-receiver');
    const callbackPort = await receiver.ask({ kind: 'listen' }, BATCH_TIMEOUT_MS);
    const configurationPath = folder.configuration({
      callbackPorts: [callbackPort],
      ...(upstreamPort !== undefined && { upstreamPort }),
      ...(circuitOpenSeconds !== undefined && { circuitOpenSeconds }),
    });
    const service = await RunningService.start({
      dataDir,
      configurationPath,
      roles: 'api,worker',
      nodeOptions,
      silentGate,
      ...(readyTimeoutMs !== undefined && { readyTimeoutMs }),
      ...(operatorPort !== undefined && { operatorPort }),
    });
    const cardRefId = isOfSales ? undefined : await registeredCard(service.port, 'registration');
    return new CarriedOrders({ receiver, service, dataDir, callbackPort, cardRefId, waiting, lane });
  }

  get servicePid(): number {
    return this.#parts.service.pid;
  }

  /** @throws Error where sales are carried */
  get cardRefId(): string {
    const { cardRefId } = this.#parts;
    if (cardRefId === undefined) throw new Error('sales have no registered card');
    return cardRefId;
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
      requests:
        cardRefId === undefined
          ? { kind: 'sales', prefix: PREFIX, callbackUrl }
          : { kind: 'recurrent-payments', cardRefId, prefix: PREFIX, callbackUrl },
      prepare: count,
    });
    const ended = accepting.then(() => this.#approved(count));
    const [accepted, endedMeanwhile] = await Promise.all([accepting, ended, delivered]);
    await this.#untilProjected(count, startedAt + BATCH_TIMEOUT_MS);
    return { elapsedMs: performance.now() - startedAt, accepted, endedMeanwhile };
  }

  /** Accepts recurrent payments at the other endpoint, and does not wait for what becomes of them. */
  async leave(count: number): Promise<void> {
    const { service, cardRefId } = this.#parts;
    if (cardRefId === undefined) throw new Error('recurrent payments need a card');
    const requests = { kind: 'recurrent-payments', cardRefId, prefix: 'left', endpointId: ACME.otherEndpointId } as const;
    await this.#generator.run({ ports: [service.port], connections: CONNECTIONS, requests, prepare: count });
  }

  /** Waits until no more work is due than now and then, because a start checks all waiting orders at once. */
  async untilCalm(): Promise<void> {
    const until = performance.now() + BATCH_TIMEOUT_MS;
    await this.#inReadModel(async (db) => {
      const due = db.prepare(`SELECT count(*) AS count FROM ${tableOf(db, 'open-work:orders')} WHERE due_at <= ?`);
      while (countOf(due, Date.now()) > DUE_BESIDE_MAX) {
        if (performance.now() > until) throw new Error('what was due did not get done');
        await delay(LOOK_MS);
      }
    });
  }

  note(): string {
    return this.#generator.note();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#parts.receiver.stop(), this.#generator.stop(), this.#parts.service.stop()]);
  }

  async #untilProjected(count: number, until: number): Promise<void> {
    const { waiting, lane } = this.#parts;
    await this.#inReadModel(async (db) => {
      const approved = approvedIn(db);
      const openOf = (name: string, ofLane = ''): Statement => db.prepare(`SELECT count(*) AS count FROM ${tableOf(db, name)}${ofLane}`);
      const [orders, deliveries] = [
        openOf('open-work:orders', lane === undefined ? '' : ` WHERE lane IN ('${lane}', '${lane} inquiries')`),
        openOf('open-work:deliveries'),
      ];
      const final = (): number => countOf(approved, count, ACME.login, `${PREFIX}*`);
      while (countOf(deliveries) > 0 || countOf(orders) > waiting || final() < count) {
        if (performance.now() > until) throw new Error(`of ${count} orders ${final()} became final`);
        await delay(LOOK_MS);
      }
      if (countOf(orders) < waiting) throw new Error(`of ${waiting} orders that wait ${countOf(orders)} wait still`);
    });
  }

  async #approved(count: number): Promise<number> {
    let approved = 0;
    await this.#inReadModel((db) => {
      approved = countOf(approvedIn(db), count, ACME.login, `${PREFIX}*`);
      return Promise.resolve();
    });
    return approved;
  }

  async #inReadModel(look: (db: Database) => Promise<void>): Promise<void> {
    const db = openDatabase(join(this.#parts.dataDir, 'read-model.sqlite'), { readOnly: true });
    try {
      await look(db);
    } finally {
      db.close();
    }
  }
}
