import { CompiledQuery } from 'kysely';

const CLAIM_ON_POSTGRES = /for update skip locked\).*update (?<table>\S+) as work set due_at/s;

/**
 * Rewrites the claim of shared open work for SQLite, without locks because statements run one at a time. Other statements are unchanged.
 */
export const claimInSqlite = (query: CompiledQuery): CompiledQuery => {
  const table = CLAIM_ON_POSTGRES.exec(query.sql)?.groups?.['table'];
  if (table === undefined) return query;
  const until = query.parameters.at(-1);
  const wanted = query.parameters.slice(0, -1);
  const rows = Array.from({ length: wanted.length / 2 }, () => '(?, ?)').join(', ');
  const sql = `update ${table} set due_at = ? where (key, due_at) in (values ${rows}) returning key`;
  return { ...query, sql, parameters: [until, ...wanted] };
};
