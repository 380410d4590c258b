import { isMissingTable } from './faults';
import { servingGenerations } from './register';
import type { Db } from './database/tables';

/** Asks the generation that serves, and again where another one has taken its place meanwhile. */
export class Reader {
  readonly #db: Db;
  readonly #shapes: ReadonlyMap<string, number>;
  #serving: ReadonlyMap<string, number> = new Map();

  /** `shapes` by projection: a generation of another shape is as good as none. */
  constructor(db: Db, shapes: ReadonlyMap<string, number>) {
    this.#db = db;
    this.#shapes = shapes;
  }

  /** Looks up which generations serve. */
  async refresh(): Promise<void> {
    const serving = [...(await servingGenerations(this.#db))].filter(([projection, { shape }]) => this.#shapes.get(projection) === shape);
    this.#serving = new Map(serving.map(([projection, { generation }]) => [projection, generation]));
  }

  /** `whileUnbuilt` is the answer while the projection has never been built. */
  async read<Answer>(projection: string, whileUnbuilt: Answer, ask: (db: Db, generation: number) => Promise<Answer>): Promise<Answer> {
    if (!this.#serving.has(projection)) await this.refresh();
    const generation = this.#serving.get(projection);
    if (generation === undefined) return whileUnbuilt;
    try {
      return await ask(this.#db, generation);
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      await this.refresh();
      const next = this.#serving.get(projection);
      return next === undefined ? whileUnbuilt : ask(this.#db, next);
    }
  }
}
