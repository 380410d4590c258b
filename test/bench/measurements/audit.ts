import { join } from 'node:path';
import { createTestDatabase, startPostgres } from '@app/databases/testing';
import type { ListQuestion } from '@app/investigation';
import { ROUNDS, scaled, type Figure, type Findings } from '../harness/figure';
import { askOnce } from '../harness/program';
import { inWorkFolder } from '../harness/work-folder';
import { fillLog, type Filled } from '../load/filled-log';
import type { AuditAnswers, AuditQuestions } from '../programs/audit.program';

const EVENTS = scaled(1_000_000);
const ASKED = scaled(300);
const TIMEOUT_MS = 1_800_000;
const P99_MS_MAX = 20;

const filter = (of: object): ListQuestion => ({ filter: of, identifiers: {} });
const named = (of: ListQuestion['identifiers']): ListQuestion => ({ filter: {}, identifiers: of });

/** A question that an index answers, one that nearly every order matches, and one that none matches. */
const questionsOf = (order: Filled['sample'][number]): Readonly<Record<string, ListQuestion>> => ({
  'no filter': filter({}),
  'a merchant': filter({ merchant: 'acme' }),
  'a frequent status': filter({ status: 'approved' }),
  'an error code that no order has': filter({ code: 116 }),
  'an amount that no order has': filter({ currency: 'USD', amountFrom: 99_999_999, amountTo: 99_999_999 }),
  'an orderid': named({ order: order.orderId }),
  'a reference number of the gate': named({ rrn: '100000007' }),
  'an approval code that every order has': named({ approvalCode: 'A1B2C3' }),
});

export const audit = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const server = await startPostgres();
    try {
      const dataDir = folder.folder('filled');
      const { sample } = await fillLog(dataDir, EVENTS);
      const [order] = sample;
      if (order === undefined) throw new Error('no order was written');
      const questions = questionsOf(order);
      const database = await createTestDatabase(server);
      const places = { SQLite: { path: join(folder.path, 'read-model.sqlite') }, PostgreSQL: { url: database.url } };
      const figures: Figure[] = [];
      for (const [store, place] of Object.entries(places)) {
        const rounds: AuditAnswers[] = [];
        for (let round = 0; round < ROUNDS; round++)
          rounds.push(await askOnce<AuditQuestions, AuditAnswers>('audit', { dataDir, place, questions, asked: ASKED }, TIMEOUT_MS));
        for (const name of Object.keys(questions))
          figures.push({
            name: `${store}, ${name}: p99`,
            unit: 'ms',
            rounds: rounds.map(({ p99Ms }) => p99Ms[name] ?? Number.NaN),
            bound: { kind: 'at-most', asked: P99_MS_MAX },
          });
      }
      await database.drop();
      return { figures };
    } finally {
      await server.stop();
    }
  });
