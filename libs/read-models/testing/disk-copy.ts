/* eslint-disable no-restricted-syntax -- the names of tables and columns come from the schema itself; values are bound */
import type { Database } from '@app/databases/sqlite';
import { CHECKSUM } from '../engine/row-checksum';

type Row = Readonly<Record<string, string | number | bigint | null>>;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface DiskCopy {
  readonly statements: readonly string[];
  readonly tables: readonly (Table & { readonly rows: readonly Row[] })[];
}

export interface SpoiltRow {
  readonly table: string;
  readonly stream: string;
  readonly view: string;
  readonly checksum: string;
}

const quoted = (name: string): string => `"${name}"`;

const tablesOf = (db: Database): readonly Table[] => {
  const names = db.prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`).all() as unknown as readonly Row[]; // prettier-ignore
  return names.map(({ name }) => {
    const columns = db.prepare(`select name from pragma_table_info(?) order by cid`).all(String(name)) as unknown as readonly Row[];
    return { name: String(name), columns: columns.map((column) => String(column['name'])) };
  });
};

const rowsOf = (db: Database, { name }: Table): readonly Row[] => db.prepare(`select * from ${quoted(name)}`).all() as readonly Row[]; // prettier-ignore

const foldedTablesOf = (db: Database): readonly Table[] =>
  tablesOf(db).filter(({ columns }) => [CHECKSUM, 'view', 'stream'].every((column) => columns.includes(column)));

export const copyOf = (db: Database): DiskCopy => {
  const made = db.prepare(`select sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by type desc, name`).all() as unknown as readonly Row[]; // prettier-ignore
  return {
    statements: made.map(({ sql }) => String(sql)),
    tables: tablesOf(db).map((table) => ({ ...table, rows: rowsOf(db, table) })),
  };
};

export const restoreTo = (db: Database, { statements, tables }: DiskCopy): void => {
  for (const { name } of tablesOf(db)) db.exec(`drop table ${quoted(name)}`);
  for (const statement of statements) db.exec(statement);
  for (const { name, columns, rows } of tables) {
    const insert = db.prepare(`insert into ${quoted(name)} values (${columns.map(() => '?').join(', ')})`);
    for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null));
  }
};

const changed = (view: string): string => {
  const other = view.replace(/approved|declined/g, (word) => (word === 'approved' ? 'declined' : 'approved'));
  return other === view ? view.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10)) : other;
};

export const spoilRowOf = (db: Database, pick: (count: number) => number): SpoiltRow | undefined => {
  const rows = foldedTablesOf(db).flatMap((table) => rowsOf(db, table).map((row) => ({ table: table.name, row })));
  if (rows.length === 0) return undefined;
  const { table, row } = rows[pick(rows.length)] ?? {};
  if (table === undefined || row === undefined) return undefined;
  const [stream, view] = [String(row['stream']), changed(String(row['view']))];
  db.prepare(`update ${quoted(table)} set view = ? where stream = ?`).run(view, stream);
  return { table, stream, view, checksum: String(row[CHECKSUM]) };
};

export const isStillSpoilt = (db: Database, { table, stream, view, checksum }: SpoiltRow): boolean =>
  tablesOf(db)
    .filter(({ name }) => name === table)
    .flatMap((found) => rowsOf(db, found))
    .some((row) => row['stream'] === stream && row['view'] === view && String(row[CHECKSUM]) === checksum);

export const forgetStreamOf = (db: Database, stream: string): void => {
  const ending = ` ${stream}`;
  for (const { name, columns } of tablesOf(db))
    if (columns.includes('stream')) db.prepare(`delete from ${quoted(name)} where stream = ?`).run(stream);
    else if (columns.includes('key')) db.prepare(`delete from ${quoted(name)} where substr(key, -?) = ?`).run(ending.length, ending);
};
