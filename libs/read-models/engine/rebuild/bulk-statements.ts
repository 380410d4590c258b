import { PostgresAdapter, sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { Connection } from '../database/tables';

export type ColumnValue = string | number | null;

export type ColumnTypes = Readonly<Record<string, 'text' | 'bigint'>>;

export const isPostgres = (db: Connection): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

const LIST = 0;

class CompiledBySize<Row> {
  readonly #compiled = new Map<number, CompiledQuery<Row>>();
  readonly #build: (size: number) => RawBuilder<Row>;

  constructor(build: (size: number) => RawBuilder<Row>) {
    this.#build = build;
  }

  async run(db: Connection, size: number, parameters: readonly (ColumnValue | readonly ColumnValue[])[]): Promise<readonly Row[]> {
    let compiled = this.#compiled.get(size);
    if (compiled === undefined) {
      compiled = this.#build(size).compile(db);
      this.#compiled.set(size, compiled);
    }
    return (await db.executeQuery<Row>({ ...compiled, parameters })).rows;
  }
}

const holes = (count: number): RawBuilder<unknown> => sql.join(Array.from({ length: count }, () => sql`${''}`));
const refs = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)));

/** Largest first, so that any batch takes few statements. */
const UPSERT_SIZES = [64, 16, 4, 1] as const;
/** On PostgreSQL each statement is a round trip. A batch is padded with rows without a key, which the statement ignores. */
const FILLED_SIZES = [1, 4, 16, 64, 256, 512] as const;
const FILLED_MAX = 512;
/** A batch is padded with its last key, which has no effect. */
const KEYS_SIZES = [512, 64, 8, 1] as const;

/** Uses loops, because `flat` is several times slower. */
const valuesOf = (rows: readonly (readonly ColumnValue[])[], from: number, to: number): ColumnValue[] => {
  const values: ColumnValue[] = [];
  for (let row = from; row < to; row++) for (const value of rows[row] ?? []) values.push(value);
  return values;
};

/**
 * Inserts or replaces rows by key; `fixed` columns keep their inserted value. A call must not contain a key twice.
 * @param change `add`: adds numbers to those of an existing row
 */
export class BulkUpsert {
  readonly #plain: CompiledBySize<unknown>;
  readonly #filled: CompiledBySize<unknown>;
  readonly #width: number;

  constructor(
    table: string,
    key: string | readonly string[],
    columns: ColumnTypes,
    fixed: readonly string[] = [],
    change: 'replace' | 'add' = 'replace',
  ) {
    const names = Object.keys(columns);
    const keys = typeof key === 'string' ? [key] : key;
    const [first = ''] = keys;
    this.#width = names.length;
    // Built only when compiled: a process makes its tables anew whenever the registry changes, and writes to few of them.
    const upsert = (rows: RawBuilder<unknown>): RawBuilder<unknown> => {
      const changing = names.filter((name) => !keys.includes(name) && !fixed.includes(name));
      const given = (name: string): RawBuilder<unknown> => sql.ref(`excluded.${name}`);
      const changed = (name: string): RawBuilder<unknown> =>
        change === 'add' ? sql`${sql.ref(`${table}.${name}`)} + ${given(name)}` : given(name);
      const changes = changing.map((name) => sql`${sql.ref(name)} = ${changed(name)}`);
      return sql`insert into ${sql.table(table)} (${refs(names)}) ${rows} on conflict (${refs(keys)}) do update set ${sql.join(changes)}`;
    };
    const line = (): RawBuilder<unknown> => sql`(${holes(names.length)})`;
    const typedLine = (): RawBuilder<unknown> => sql`(${sql.join(Object.values(columns).map((type) => sql`${''}::${sql.raw(type)}`))})`;
    const lines = (size: number, first: RawBuilder<unknown>): RawBuilder<unknown> => {
      const others = line();
      return sql.join(Array.from({ length: size }, (_, row) => (row === 0 ? first : others)));
    };
    this.#plain = new CompiledBySize((size) => upsert(sql`values ${lines(size, line())}`));
    this.#filled = new CompiledBySize((size) =>
      upsert(sql`select * from (values ${lines(size, typedLine())}) as given (${refs(names)}) where ${sql.ref(first)} is not null`),
    );
  }

  async run(db: Connection, rows: readonly (readonly ColumnValue[])[]): Promise<void> {
    let from = 0;
    if (isPostgres(db)) {
      for (; from < rows.length; from += FILLED_MAX) {
        const count = Math.min(rows.length - from, FILLED_MAX);
        const size = FILLED_SIZES.find((size) => size >= count) ?? FILLED_MAX;
        const parameters = valuesOf(rows, from, from + count);
        while (parameters.length < size * this.#width) parameters.push(null);
        await this.#filled.run(db, size, parameters);
      }
      return;
    }
    for (const size of UPSERT_SIZES) {
      for (; rows.length - from >= size; from += size) await this.#plain.run(db, size, valuesOf(rows, from, from + size));
    }
  }
}

class ByKeys<Row> {
  readonly #statements: CompiledBySize<Row>;

  constructor(build: (isOneOf: RawBuilder<unknown>) => RawBuilder<Row>) {
    this.#statements = new CompiledBySize((size) => build(size === LIST ? sql`= any(${''}::text[])` : sql`in (${holes(size)})`));
  }

  async run(db: Connection, keys: readonly string[]): Promise<readonly Row[]> {
    if (keys.length === 0) return [];
    if (isPostgres(db)) return this.#statements.run(db, LIST, [keys]);
    const rows: Row[] = [];
    for (let from = 0; from < keys.length;) {
      const left = keys.length - from;
      const size = KEYS_SIZES.findLast((size) => size >= left) ?? KEYS_SIZES[0];
      const parameters = keys.slice(from, from + size);
      while (parameters.length < size) parameters.push(parameters.at(-1) ?? '');
      rows.push(...(await this.#statements.run(db, size, parameters)));
      from += size;
    }
    return rows;
  }
}

/** Inserts key-only rows and keeps existing ones. All keys are one parameter, so that one statement fits any number. */
export class BulkInsertKeys {
  readonly #asJson: CompiledBySize<unknown>;
  readonly #asList: CompiledBySize<unknown>;

  constructor(table: string, key: string) {
    const insert = (keys: RawBuilder<unknown>): RawBuilder<unknown> =>
      sql`insert into ${sql.table(table)} (${sql.ref(key)}) ${keys} on conflict do nothing`;
    // Sorted keys visit each page of the tree once. Without the condition SQLite would parse `on conflict` as part of a join.
    this.#asJson = new CompiledBySize(() => insert(sql`select value from json_each(${''}) where true order by value`));
    this.#asList = new CompiledBySize(() => insert(sql`select given.key from unnest(${''}::text[]) as given (key) order by given.key`));
  }

  async run(db: Connection, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    if (isPostgres(db)) await this.#asList.run(db, LIST, [keys]);
    else await this.#asJson.run(db, LIST, [JSON.stringify(keys)]);
  }
}

/**
 * Inserts numbers by key, or lowers existing ones. PostgreSQL also locks rows that are already lower, so that a concurrent raise waits for
 * this transaction's rows.
 */
export class BulkLower {
  readonly #asJson: CompiledBySize<unknown>;
  readonly #asLists: CompiledBySize<unknown>;

  constructor(table: string, key: string, value: string) {
    const [given, to] = [sql.ref(`excluded.${value}`), sql.ref(value)];
    const lower = (rows: RawBuilder<unknown>): RawBuilder<unknown> =>
      sql`insert into ${sql.table(table)} as held (${sql.ref(key)}, ${to}) ${rows}
        on conflict (${sql.ref(key)}) do update set ${to} = ${given} where ${sql.ref(`held.${value}`)} > ${given}`;
    this.#asJson = new CompiledBySize(() => lower(sql`select key, value from json_each(${''}) where true`));
    // All writers use the same order, so that no deadlock can occur.
    this.#asLists = new CompiledBySize(() =>
      lower(sql`select given.key, given.value from unnest(${''}::text[], ${''}::bigint[]) as given (key, value) order by given.key`),
    );
  }

  async run(db: Connection, values: ReadonlyMap<string, number>): Promise<void> {
    if (values.size === 0) return;
    if (isPostgres(db)) await this.#asLists.run(db, LIST, [[...values.keys()], [...values.values()]]);
    else await this.#asJson.run(db, LIST, [JSON.stringify(Object.fromEntries(values))]);
  }
}

export class BulkSelect<Row> extends ByKeys<Row> {
  constructor(table: string, key: string, columns: readonly string[]) {
    super((isOneOf) => sql<Row>`select ${refs(columns)} from ${sql.table(table)} where ${sql.ref(key)} ${isOneOf}`);
  }
}

export class BulkDelete extends ByKeys<unknown> {
  constructor(table: string, key: string) {
    super((isOneOf) => sql`delete from ${sql.table(table)} where ${sql.ref(key)} ${isOneOf}`);
  }
}
