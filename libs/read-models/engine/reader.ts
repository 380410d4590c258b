import { StoreUnavailable } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { ReadModelDatabase } from './database/database';
import { asUnread, isMissingTable } from './faults';
import { servingGenerations } from './projection-registry';
import type { Db } from './database/tables';

const deadlinePassed = (cause?: unknown): StoreUnavailable => new StoreUnavailable('the time of the request is over', { cause });

const hasPassed = (deadline: Deadline | undefined): boolean => deadline?.isOver === true;

export class Reader {
  readonly #db: Db;
  readonly #dbBy: ReadModelDatabase['readsBy'];
  readonly #shapes: ReadonlyMap<string, number>;
  #serving: ReadonlyMap<string, number> = new Map();

  /** @param shapes by projection; a generation of another shape counts as missing */
  constructor({ reads, readsBy }: Pick<ReadModelDatabase, 'reads' | 'readsBy'>, shapes: ReadonlyMap<string, number>) {
    this.#db = reads;
    this.#dbBy = readsBy;
    this.#shapes = shapes;
  }

  async refresh(db = this.#db): Promise<void> {
    const serving = [...(await servingGenerations(db))].filter(([projection, { shape }]) => this.#shapes.get(projection) === shape);
    this.#serving = new Map(serving.map(([projection, { generation }]) => [projection, generation]));
  }

  /**
   * @param whileUnbuilt the answer if the projection was never built
   * @param deadline after it, the query ends and frees its connection
   * @throws StoreUnavailable if the database does not answer, or the deadline has passed
   */
  async read<Answer>(
    projection: string,
    whileUnbuilt: Answer,
    ask: (db: Db, generation: number) => Promise<Answer>,
    deadline?: Deadline,
  ): Promise<Answer> {
    if (hasPassed(deadline)) throw deadlinePassed();
    try {
      return await this.#read((deadline && this.#dbBy?.(deadline)) ?? this.#db, projection, whileUnbuilt, ask);
    } catch (error) {
      throw hasPassed(deadline) ? deadlinePassed(error) : asUnread(error);
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
