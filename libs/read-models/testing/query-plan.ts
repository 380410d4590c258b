import type { CompiledQuery } from 'kysely';
import type { Db } from '../engine/database/tables';
import type { Reader } from '../engine/reader';

/** A node of PostgreSQL's `EXPLAIN (ANALYZE, FORMAT JSON)`. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

const NOT_OF_A_TABLE: ReadonlySet<string> = new Set(['Function Scan', 'CTE Scan']);

export const rowsVisited = (node: PlanNode): number => {
  const visited = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = node['Node Type'].includes('Scan') && !NOT_OF_A_TABLE.has(node['Node Type']) ? visited * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsVisited(plan), own);
};

/** The statements that a query sends to the database, which answers with rows of generation 1. */
export const statementsOf = async (reads: Db, ask: (reader: Reader) => Promise<unknown>): Promise<readonly CompiledQuery[]> => {
  const executor = jest.spyOn(reads.getExecutor(), 'executeQuery');
  const reader = { read: (_name: string, _unbuilt: unknown, read: (of: Db, generation: number) => unknown) => read(reads, 1) };
  await ask(reader as unknown as Reader);
  const sent = executor.mock.calls.map(([query]) => query);
  executor.mockRestore();
  return sent;
};

export const visitedBy = async (reads: Db, statements: readonly CompiledQuery[]): Promise<number> => {
  let visited = 0;
  for (const statement of statements) {
    const question = { ...statement, sql: `explain (analyze, format json) ${statement.sql}` };
    const { rows } = await reads.executeQuery<{ readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(question);
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (plan === undefined) throw new Error('no plan');
    visited += rowsVisited(plan);
  }
  return visited;
};
