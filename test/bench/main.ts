import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './harness/built';
import { environmentLines } from './harness/environment';
import { verdictOn, type Findings } from './harness/figure';
import { documentOf, printChapter, withChapters, type Chapter } from './harness/report';
import { takeDisk } from './harness/work-folder';
import { accept } from './measurements/accept';
import { append } from './measurements/append';
import { audit } from './measurements/audit';
import { backlog } from './measurements/backlog';
import { carry } from './measurements/carry';
import { decisions } from './measurements/decisions';
import { deliveries } from './measurements/deliveries';
import { device } from './measurements/device';
import { embeddedAgainstPostgres } from './measurements/embedded-against-postgres';
import { eventstoredb } from './measurements/eventstoredb';
import { gatesApart } from './measurements/gates-apart';
import { growth } from './measurements/growth';
import { history } from './measurements/history';
import { logProofs } from './measurements/log-proofs';
import { memory } from './measurements/memory';
import { perform } from './measurements/perform';
import { postgresProjection } from './measurements/postgres-projection';
import { workers } from './measurements/workers';
import { rebuild } from './measurements/rebuild';
import { reconcile } from './measurements/reconcile';
import { replay } from './measurements/replay';
import { replicas } from './measurements/replicas';
import { tiers } from './measurements/tiers';
import { v4 } from './measurements/v4';
import { waiting } from './measurements/waiting';

interface Measurement {
  readonly title: string;
  readonly measure: () => Promise<Findings>;
}

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  accept: { title: 'Acceptance of recurrent payments', measure: accept },
  carry: { title: 'Orders carried to their end', measure: carry },
  tiers: { title: 'Orders carried through two tiers', measure: tiers },
  v4: { title: 'Requests signed by RSA', measure: v4 },
  waiting: { title: 'New orders beside orders that wait', measure: waiting },
  'gates-apart': { title: 'New orders beside a gate that tells nothing', measure: gatesApart },
  backlog: { title: 'New orders beside a lane in which very much is due', measure: backlog },
  deliveries: { title: 'Callbacks beside a merchant that hangs', measure: deliveries },
  perform: { title: 'Performs of devices', measure: perform },
  device: { title: 'Sales of devices', measure: device },
  decisions: { title: 'Decisions without a store', measure: decisions },
  append: { title: 'Appends of the embedded store', measure: append },
  'embedded-against-postgres': { title: "The embedded store against Emmett's PostgreSQL store", measure: embeddedAgainstPostgres },
  eventstoredb: { title: 'The EventStoreDB adapter', measure: eventstoredb },
  rebuild: { title: 'Rebuild of the read models', measure: rebuild },
  replay: { title: 'Read models replayed beside the serving ones', measure: replay },
  history: { title: 'States as of a moment, and what-if', measure: history },
  reconcile: { title: 'A settlement file beside the log', measure: reconcile },
  'postgres-projection': { title: 'Read models on PostgreSQL', measure: postgresProjection },
  audit: { title: 'Lists of orders for investigators', measure: audit },
  replicas: { title: 'Acceptance by replicas', measure: replicas },
  workers: { title: 'Orders carried by workers on EventStoreDB and PostgreSQL', measure: workers },
  'log-proofs': { title: 'The tree of the log, and its verification', measure: logProofs },
  growth: { title: 'A long log', measure: growth },
  memory: { title: 'Memory', measure: memory },
};

const WRITE = '--write';
const DOCUMENT = join(ROOT, 'docs/benchmarks.md');

/**
 * `npm run bench` runs all and writes docs/benchmarks.md, each chapter once it is measured; `npm run bench -- accept append` runs these two and only prints,
 * unless `--write` puts them in the place of what the document has of them.
 */
const main = async (words: readonly string[]): Promise<void> => {
  const names = words.filter((word) => word !== WRITE);
  const unknown = names.filter((name) => !(name in MEASUREMENTS));
  if (unknown.length > 0)
    throw new Error(`no measurement is called ${unknown.join(', ')}; there are ${Object.keys(MEASUREMENTS).join(', ')}`);
  takeDisk();
  const environment = environmentLines();
  console.log(environment.join('\n'));
  const chapters: Chapter[] = [];
  const isWhole = names.length === 0;
  const isWritten = isWhole || words.includes(WRITE);
  const [date = ''] = new Date().toISOString().split('T');
  const titles = Object.values(MEASUREMENTS).map(({ title }) => title);
  for (const [name, { title, measure }] of Object.entries(MEASUREMENTS)) {
    if (!isWhole && !names.includes(name)) continue;
    const chapter = { name, title, ...(await measure()) };
    console.log(printChapter(chapter));
    chapters.push(chapter);
    // A whole run takes an hour: what it measured stays where it is stopped on its way.
    if (isWritten)
      writeFileSync(DOCUMENT, withChapters(readFileSync(DOCUMENT, 'utf8'), { date, environment, chapters: [chapter] }, titles));
  }
  const missed = chapters.flatMap(({ figures }) => figures.filter((figure) => verdictOn(figure) === 'MISSED'));
  console.log(missed.length === 0 ? '\nEvery figure that was measured is met.' : `\nMissed: ${missed.map(({ name }) => name).join('; ')}.`);
  if (isWhole) writeFileSync(DOCUMENT, documentOf({ date, environment, chapters }));
};

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
