import type { MerchantLogin } from '@app/kernel';
import type { Reader } from '../engine/reader';
import { statementsOf } from '../testing/query-plan';
import { sqliteFixture } from '../testing/sqlite-fixture';
import { ReconciliationCaseQueries, type CaseFilter } from './reconciliation-case.queries';
import { reconciliationCases } from './reconciliation-case.table';

const ACME = 'acme' as MerchantLogin;
const FILTERS: readonly CaseFilter[] = [
  { isOpen: true },
  { isOpen: false },
  { isOpen: true, kind: 'different' },
  { isOpen: false, gate: 'sim-a' },
  { isOpen: true, merchants: [ACME], gate: 'sim-a' },
  { isOpen: false, order: '1000000001', merchants: [ACME] },
];

it.each(FILTERS)('a page of cases searches an index in its order, without sorting its rows, for %j', async (filter) => {
  const place = await sqliteFixture();
  const database = await place.open();
  try {
    const { reads, registry } = database;
    const table = reconciliationCases.table(1, false);
    await table.create(registry);
    await table.createIndexes(registry);
    const sent = await statementsOf(reads, (reader: Reader) => new ReconciliationCaseQueries(reader).page(filter, { limit: 10 }));
    expect(sent.length).toBeGreaterThan(0);
    for (const statement of sent) {
      const question = { ...statement, sql: `explain query plan ${statement.sql}` };
      const details = (await reads.executeQuery<{ readonly detail: string }>(question)).rows.map(({ detail }) => detail);
      expect(details.filter((detail) => detail.startsWith(`SCAN ${reconciliationCases.tableOf(1)}`))).toStrictEqual([]);
      // Only the first rows of each part are sorted.
      const sorted = details.filter((_, line) => details[line + 1]?.includes('TEMP B-TREE') === true);
      expect(sorted.filter((detail) => detail !== 'SCAN part')).toStrictEqual([]);
    }
  } finally {
    await database.close();
    await place.remove();
  }
});
