import { StoreUnavailable } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { ReadModelDatabase } from './database/database';
import { isMissingTable } from './faults';
import { servingGenerations } from './register';
import type { Db } from './database/tables';

const deadlinePassed = (cause?: unknown): StoreUnavailable => new StoreUnavailable('the time of the request is over', { cause });

/** Asks the generation that serves, and again where another one has taken its place meanwhile. */
export class Reader {
  readonly #db: Db;
  readonly #dbBy: ReadModelDatabase['readsBy'];
  readonly #shapes: ReadonlyMap<string, number>;
  #serving: ReadonlyMap<string, number> = new Map();

  /** `shapes` by projection: a generation of another shape is as good as none. */
  constructor({ reads, readsBy }: Pick<ReadModelDatabase, 'reads' | 'readsBy'>, shapes: ReadonlyMap<string, number>) {
    this.#db = reads;
    this.#dbBy = readsBy;
    this.#shapes = shapes;
  }

  /** Looks up which generations serve. */
  async refresh(db = this.#db): Promise<void> {
    const serving = [...(await servingGenerations(db))].filter(([projection, { shape }]) => this.#shapes.get(projection) === shape);
    this.#serving = new Map(serving.map(([projection, { generation }]) => [projection, generation]));
  }

  /**
   * `whileUnbuilt` is the answer while the projection has never been built.
   * @param deadline of whoever asks: over, the question is given up and holds no connection
   * @throws StoreUnavailable where the deadline is over
   */
  async read<Answer>(
    projection: string,
    whileUnbuilt: Answer,
    ask: (db: Db, generation: number) => Promise<Answer>,
    deadline?: Deadline,
  ): Promise<Answer> {
    if (deadline === undefined) return this.#read(this.#db, projection, whileUnbuilt, ask);
    if (deadline.isOver) throw deadlinePassed();
    try {
      return await this.#read(this.#dbBy?.(deadline) ?? this.#db, projection, whileUnbuilt, ask);
    } catch (error) {
      throw deadline.isOver ? deadlinePassed(error) : error;
    }
  }

  async #read<Answer>(
    db: Db,
    projection: string,
    whileUnbuilt: Answer,
    ask: (db: Db, generation: number) => Promise<Answer>,
  ): Promise<Answer> {
    if (!this.#serving.has(projection)) await this.refresh(db);
    const generation = this.#serving.get(projection);
    if (generation === undefined) return whileUnbuilt;
    try {
      return await ask(db, generation);
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      await this.refresh(db);
      const next = this.#serving.get(projection);
      return next === undefined ? whileUnbuilt : ask(db, next);
    }
  }
}
