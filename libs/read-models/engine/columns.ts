import { sql, type CreateTableBuilder, type RawBuilder } from 'kysely';
import type { Db } from './database/tables';
import { isPostgres, type ColumnTypes, type ColumnValue } from './rebuild/bulk-statements';

interface ValueTypes {
  readonly text: string;
  readonly bigint: number;
}

type Value<Given extends readonly unknown[], Type> =
  | { readonly isNullable?: never; readonly of: (...given: Given) => Type }
  | { readonly isNullable: true; readonly of: (...given: Given) => Type | null };

/** A column of a projection's table, with the function that gets its value from what a row is made of. */
type Column<Given extends readonly unknown[]> = {
  [Type in keyof ValueTypes]: {
    readonly type: Type;
    readonly isKey?: true;
    /**
     * Set only by the stream's first event. An update must not set it, because SQLite would rewrite its indexes even for
     * equal values.
     */
    readonly isFixed?: true;
    /** Compared byte by byte, whatever the database's collation. */
    readonly isByteOrdered?: true;
  } & Value<Given, ValueTypes[Type]>;
}[keyof ValueTypes];

/** In the order of the row. */
export type Columns<Given extends readonly unknown[]> = Readonly<Record<string, Column<Given>>>;

export type RowOf<Own extends Columns<never>> = {
  readonly [Name in keyof Own]: ValueTypes[Own[Name]['type']] | (Own[Name] extends { readonly isNullable: true } ? null : never);
};

export const typesOf = (columns: Columns<never>): ColumnTypes =>
  Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, type]));

export const fixedOf = (columns: Columns<never>): readonly string[] =>
  Object.entries(columns).flatMap(([name, { isFixed }]) => (isFixed === true ? [name] : []));

/** Takes at most three values: fixed parameters are faster than a rest parameter, and each written row passes here. */
export const rowMaker = <Given extends readonly unknown[]>(columns: Columns<Given>): ((...given: Given) => ColumnValue[]) => {
  const values = Object.values(columns).map(({ of }) => of as (...given: readonly unknown[]) => ColumnValue);
  const rowOf = (first: unknown, second: unknown, third: unknown): ColumnValue[] => values.map((of) => of(first, second, third));
  return rowOf as unknown as (...given: Given) => ColumnValue[];
};

export const withColumns = (db: Db, table: CreateTableBuilder<string, string>, columns: Columns<never>): typeof table =>
  Object.entries(columns).reduce(
    (made, [name, { type, isKey, isNullable, isByteOrdered }]) =>
      made.addColumn(name, isByteOrdered === true && isPostgres(db) ? sql`${sql.raw(type)} collate "C"` : type, (column) => {
        const kept = isKey === true ? column.primaryKey() : column;
        return isNullable === true ? kept : kept.notNull();
      }),
    table,
  );

/** Rows are stored in the order of the key, so that order needs no index. */
export const createKeyed = async (db: Db, table: CreateTableBuilder<string, string>): Promise<void> => {
  await (isPostgres(db) ? table : table.modifyEnd(sql`without rowid`)).execute();
};

interface Index {
  readonly on: readonly string[];
  readonly isUnique?: true;
  /** A literal, which a query must repeat: the planner would not match a parameter to it. */
  readonly where?: RawBuilder<boolean>;
}

/** By the end of their names. */
export type Indexes = Readonly<Record<string, Index>>;

export const createIndexes = async (db: Db, table: string, indexes: Indexes): Promise<void> => {
  for (const [name, { on, isUnique, where }] of Object.entries(indexes)) {
    const index = db.schema
      .createIndex(`${table}_${name}`)
      .on(table)
      .columns([...on]);
    const partial = where === undefined ? index : index.where(where);
    await (isUnique === true ? partial.unique() : partial).execute();
  }
};
