import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { Db } from './database/tables';
import { isPostgres } from './rebuild/bulk-statements';

/** Placeholder for a value while a statement is compiled. */
class Hole {
  constructor(readonly at: number) {}
}

/**
 * Compiled on first use, once per kind of database, because building a statement costs more than running it. The text must not depend on
 * the values.
 */
export class CompiledOnce<Row, Values extends readonly unknown[] = []> {
  readonly #build: (db: Db, ...values: Values) => Compilable<Row>;
  #onServer: CompiledQuery<Row> | undefined;
  #inFile: CompiledQuery<Row> | undefined;

  /** @param build may only pass the values to the statement: it is called once, with placeholders */
  constructor(build: (db: Db, ...values: Values) => Compilable<Row>) {
    this.#build = build;
  }

  run(db: Db, ...values: Values): Promise<QueryResult<Row>> {
    const compiled = this.#compiledFor(db, values.length);
    const parameters = compiled.parameters.map((parameter) => (parameter instanceof Hole ? values[parameter.at] : parameter));
    return db.executeQuery<Row>({ ...compiled, parameters });
  }

  #compiledFor(db: Db, count: number): CompiledQuery<Row> {
    if (isPostgres(db)) return (this.#onServer ??= this.#compile(db, count));
    return (this.#inFile ??= this.#compile(db, count));
  }

  #compile(db: Db, count: number): CompiledQuery<Row> {
    const holes = Array.from({ length: count }, (_, at) => new Hole(at));
    return this.#build(db, ...(holes as unknown as Values)).compile();
  }
}

/** As `CompiledOnce`, for tables that change with each generation: only the latest generation's statement is kept. */
export class CompiledOnceOf<Row, Values extends readonly unknown[]> {
  readonly #build: (db: Db, generation: number, ...values: Values) => Compilable<Row>;
  #kept: { readonly generation: number; readonly statement: CompiledOnce<Row, Values> } | undefined;

  constructor(build: (db: Db, generation: number, ...values: Values) => Compilable<Row>) {
    this.#build = build;
  }

  async rows(db: Db, generation: number, ...values: Values): Promise<readonly Row[]> {
    if (this.#kept?.generation !== generation) {
      const build = this.#build;
      this.#kept = { generation, statement: new CompiledOnce<Row, Values>((db, ...own) => build(db, generation, ...own)) };
    }
    return (await this.#kept.statement.run(db, ...values)).rows;
  }
}
