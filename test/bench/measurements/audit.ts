import { join } from 'node:path';
import { createTestDatabase, startPostgres } from '@app/postgres/testing';
import type { ListQuestion } from '@app/audit';
import type { Figure, Findings } from '../harness/figure';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { EVENTS_PER_ORDER, EVENTS_PER_WAITING_ORDER, type Fill, type Filled } from '../load/filled-log';
import type { AuditAnswers, AuditQuestions } from '../programs/audit.program';

const EVENTS = 1_000_000;
/** Orders that are found by what is rare. */
const WAITING = 200;
const ASKED = 300;
const FILL_TIMEOUT_MS = 1_800_000;
const TIMEOUT_MS = 1_800_000;
const P99_MS_MAX = 20;

const filter = (of: object): ListQuestion => ({ filter: of, identifiers: {} });
const named = (of: ListQuestion['identifiers'], by: object = {}): ListQuestion => ({ filter: by, identifiers: of });

/** Of each kind: what an index answers; what nearly every order fulfils; what none does, so that a page looks as far as it may. */
export const questionsOf = (order: Filled['sample'][number]): Readonly<Record<string, ListQuestion>> => ({
  'no filter': filter({}),
  'a merchant': filter({ merchant: 'acme' }),
  'an entry point': filter({ endpoint: '1001' }),
  'a frequent status': filter({ status: 'approved' }),
  'a rare status': filter({ status: 'unknown' }),
  'a rare stage': filter({ stage: 'sale_3d_validating' }),
  'an error code that no order has': filter({ code: 116 }),
  'a gate that no order was at, of a merchant': filter({ merchant: 'acme', gate: 'sim-none' }),
  'an amount that no order has': filter({ currency: 'USD', amountFrom: 99_999_999, amountTo: 99_999_999 }),
  'a time before all': filter({ createdTo: 1 }),
  'nothing recorded since': filter({ updatedFrom: 4_102_444_800_000 }),
  'an orderid': named({ order: order.orderId }),
  'a client_orderid': named({ clientOrderId: order.clientOrderId }),
  'a reference number of the gate': named({ rrn: '100000007' }),
  'an approval code that every order has': named({ approvalCode: 'A1B2C3' }),
  'a card mask of none': named({ cardMask: '4000004321' }),
  'that approval code and a rare status': named({ approvalCode: 'A1B2C3' }, { status: 'declined' }),
});

/** Measures lists of orders at a million events, on either store. */
export const audit = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const server = await startPostgres();
    try {
      const dataDir = folder.folder('filled');
      const orders = (EVENTS - WAITING * EVENTS_PER_WAITING_ORDER) / EVENTS_PER_ORDER;
      const half = WAITING / 2;
      const fill: Fill = { dataDir, orders, sample: 1, waiting: { forPayer: half, forGate: half } };
      const { sample } = await askOnce<Fill, Filled>('fill-log', fill, FILL_TIMEOUT_MS);
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
      return {
        figures,
        notes: [
          `${EVENTS.toLocaleString('en')} events: approved recurrent payments of one merchant, and ${WAITING} initial payments that wait. Of each question the first page of 100 orders, ${ASKED} times a round, one after the other: found by the read model, made JSON, and put on record in the log, durably, before it counts as answered. Each round is a process of its own; the HTTP server is not in it.`,
          'A page looks at 4,000 orders at most where no index answers the whole question; questions that no order fulfils take that to its end.',
        ],
      };
    } finally {
      await server.stop();
    }
  });
