import { createReadStream, statSync, type ReadStream } from 'node:fs';
import { type GateAlias, addMs, systemClock, systemScheduler } from '@app/kernel';
import type { OrchestratorEnvironment } from '@app/configuration';
import { type ConfiguredGate, settlementFormatOf } from '@app/gateway-adapters/registry';
import {
  CsvFault,
  type InquiryPage,
  ReconcileFile,
  type ReconciledFile,
  type SetAsideLine,
  type OwnAttempts,
  type OwnOrder,
  type Period,
  type ReconcileProgress,
} from '@app/reconciliation';
import { INDEX_MESSAGES, indexReached } from '@app/read-models/queries';
import { GATE_ATTEMPTS, type GateAttemptsCursor, type GateAttemptsRecord, type ReadModelReader } from '@app/read-models';
import { CommandFailed, EXIT, type Output, withProgress, writeResult } from '../terminal';
import { claimOf, OperatorPort } from '../operator-port';
import {
  OpenedCases,
  periodOf,
  EXIT_BY_OUTCOME,
  KIND_WIDTH,
  type ReconcileOptions,
  type Outcome,
  renderAnswered,
  renderFinding,
} from './findings';
import { configurationOf, ownEnvironment, withReaders, builtReadModel } from '../stores';

/** Each inquiry of a page may take nearly its full timeout. */
const PAGE_TIMEOUT_MS = 600_000;

/** The service asks the gate, page by page, since only it has the gate's keys. `--after` resumes a stopped run. */
export const poll = async (
  gate: ConfiguredGate,
  options: ReconcileOptions,
  environment: OrchestratorEnvironment,
  output: Output,
): Promise<number> => {
  const { from, before } = periodOf(options);
  if (from === undefined || before === undefined) throw new CommandFailed('--poll needs --from and --to', EXIT.usage);
  const alias = gate.alias;
  const port = OperatorPort.of(environment);
  const cases = options.dryRun === true ? undefined : new OpenedCases({ port, gate: alias, source: 'inquiry', actor: options.actor });
  const counts = { asked: 0, matched: 0, notTold: 0, different: 0 };
  for (let after = options.after; ;) {
    const action = { gate: alias, from, before, ...(after !== undefined && { after }), ...claimOf(options.actor) };
    const page = await port.ask<InquiryPage>('/reconciliation/inquiries', action, PAGE_TIMEOUT_MS);
    counts.asked += page.asked;
    counts.matched += page.matched;
    counts.notTold += page.notTold;
    counts.different += page.differences.length;
    for (const found of page.differences) {
      writeResult(output, { finding: found }, () => renderAnswered(found, output.paint));
      await cases?.addRequest(found);
    }
    const made = await cases?.flush();
    if (page.next === undefined) {
      showPolled(alias, counts, made, output);
      if (counts.different > 0) return EXIT_BY_OUTCOME.differs;
      if (counts.matched > 0 || (counts.asked === 0 && options.after !== undefined)) return EXIT_BY_OUTCOME.agrees;
      output.problem(
        `nothing was compared: ${counts.asked === 0 ? 'the gate has no transaction in this period' : 'the gate returned no outcome'}`,
      );
      return EXIT_BY_OUTCOME['nothing-compared'];
    }
    after = page.next;
    const place = after;
    writeResult(output, { after }, () => output.paint('faint', `${counts.asked} asked so far; to continue from here: --after ${place}`));
  }
};

const showPolled = (
  gate: GateAlias,
  counts: Readonly<Record<'asked' | 'matched' | 'notTold' | 'different', number>>,
  cases: CaseCounts,
  output: Output,
): void => {
  const { asked, matched, notTold, different } = counts;
  writeResult(output, { summary: { gate, counts, cases: cases ?? null } }, () => [
    `gate ${gate}: ${asked} asked, ${matched} matched, ${different} different, ${notTold} without an outcome`,
    ...casesLine(cases),
  ]);
};

type CaseCounts = { readonly opened: number; readonly known: number } | undefined;

const casesLine = (cases: CaseCounts): readonly string[] =>
  cases === undefined ? [] : [`${cases.opened} cases opened, ${cases.known} known before`];

const TEXTS: Readonly<Record<ReconcileProgress['stage'], (made: ReconcileProgress) => string>> = {
  reading: ({ lines }) => `reading the file: ${lines} lines`,
  gathering: ({ lines, orders }) => `gathering our side: ${orders} orders, of ${lines} lines`,
  comparing: ({ lines }) => `comparing ${lines} lines`,
};

const PAGE_ROWS = 1_000;
/** An attempt's key identifies one order; a gate's order id may recur over the years. */
const NAMED_MAX = 10;

const ownOrder = ({ stream, view: { orderId, merchant, asked } }: GateAttemptsRecord): OwnOrder => ({
  order: { stream, orderId, merchant },
  asked,
});

async function* pages({ gateAttempts }: ReadModelReader, { from, before }: Period): AsyncGenerator<readonly OwnOrder[]> {
  for (let after: GateAttemptsCursor | undefined; ;) {
    const page = await gateAttempts.touchedIn(from, before, PAGE_ROWS, after);
    yield page.records.map(ownOrder);
    if (page.next === undefined) return;
    after = page.next;
  }
}

const ownAttempts = (readModel: ReadModelReader): OwnAttempts => ({
  inPeriod: (period) => pages(readModel, period),
  named: async (names) => {
    const streams = await Promise.all(names.map((name) => readModel.search.streamsNamed(name, { limit: NAMED_MAX })));
    return (await readModel.gateAttempts.ofStreams([...new Set(streams.flat())])).map(ownOrder);
  },
});

const gateNamed = (environment: OrchestratorEnvironment, alias: string | undefined): ConfiguredGate => {
  if (alias === undefined) throw new CommandFailed('--gate is missing', EXIT.usage);
  const { gates } = configurationOf(environment).accounts;
  const gate = gates.find((one) => one.alias === alias);
  if (gate !== undefined) return gate;
  throw new CommandFailed(`unknown gate ${alias}. Choose from ${gates.map((one) => one.alias).join(', ')}`, EXIT.usage);
};

/** `orch reconcile --gate <alias> --file <csv>` or `--poll`: compares the log with the gate's data, and opens a case for each difference. @returns the exit code. @throws CommandFailed */
export const reconcile = async (options: ReconcileOptions, output: Output): Promise<number> => {
  const environment = ownEnvironment();
  const gate = gateNamed(environment, options.gate);
  if ((options.file === undefined) === (options.poll === undefined)) throw new CommandFailed('give either --file or --poll', EXIT.usage);
  return options.file === undefined ? poll(gate, options, environment, output) : ofFile(gate, options.file, options, environment, output);
};

const ofFile = async (
  gate: ConfiguredGate,
  path: string,
  options: ReconcileOptions,
  environment: OrchestratorEnvironment,
  output: Output,
): Promise<number> => {
  const format = settlementFormatOf(gate.adapter);
  if (format === undefined) throw new CommandFailed(`the adapter ${gate.adapter} has no settlement files`, EXIT.usage);
  const period = periodOf(options);
  const alias = gate.alias;
  const cases =
    options.dryRun === true
      ? undefined
      : new OpenedCases({ port: OperatorPort.of(environment), gate: alias, source: 'file', actor: options.actor });
  return withReaders(environment, async (readers) => {
    const { log } = readers;
    const readModel = builtReadModel(readers);
    const index = await indexReached(log, () => readModel.checkpoint(GATE_ATTEMPTS), systemScheduler);
    // An incomplete index would report missing orders.
    if (index !== 'level') throw new CommandFailed(`not compared: ${INDEX_MESSAGES[index]}`);
    const done = await withProgress(output, (display) =>
      new ReconcileFile({
        gate: alias,
        format,
        file: opened(path),
        ...(options.earlier !== undefined && { earlier: options.earlier.map((name) => ({ name, file: opened(name) })) }),
        sizeBytes: [path, ...(options.earlier ?? [])].reduce((sum, name) => sum + statSync(name).size, 0),
        own: ownAttempts(readModel),
        period,
        settledBy: addMs(systemClock.now(), -gate.longestFlightMs),
        onFinding: (finding, { digest }) => {
          if (finding.kind === 'matched') return undefined;
          display.end();
          writeResult(output, { finding }, () => renderFinding(finding, output.paint));
          return cases?.add(finding, digest);
        },
        onSetAside: (row) => {
          display.end();
          showSetAside(row, output);
        },
        onProgress: (made) => display.update(() => TEXTS[made.stage](made)),
      }).run(),
    );
    const made = await cases?.flush(done.digest);
    showSummary(alias, done, made, output);
    return endedWith(path, done, output);
  }).catch((error: unknown) => {
    if (error instanceof CsvFault)
      throw new CommandFailed(`${error.earlierFile ?? path}: ${error.message}; nothing was compared`, EXIT.usage);
    throw error;
  });
};

type Compared = Pick<ReconciledFile, 'counts' | 'lines' | 'setAside' | 'isMissingThereSought'>;

export const outcomeOf = ({ counts, lines, setAside, isMissingThereSought }: Compared): Outcome => {
  if (Object.entries(counts).some(([kind, count]) => kind !== 'matched' && count > 0)) return 'differs';
  if (lines === setAside) return 'nothing-compared';
  // Rows of an earlier file do not count.
  return setAside > 0 || !isMissingThereSought ? 'set-aside' : 'agrees';
};

/** Returns the exit code; reports rows that were not compared as a problem. */
const endedWith = (path: string, done: ReconciledFile, output: Output): number => {
  const { lines, setAside, isMissingThereSought } = done;
  const outcome = outcomeOf(done);
  if (lines === 0) output.problem(`${path} has no lines after its header: nothing was compared`);
  else if (lines === setAside) output.problem(`all ${lines} lines are set aside: nothing was compared`);
  else if (setAside > 0)
    output.problem(`${setAside} of ${lines} lines are set aside. Settle them by hand, or correct them and run the command again`);
  if (!isMissingThereSought)
    output.problem('a line that is set aside names no attempt, so transactions missing in the file were not searched');
  return EXIT_BY_OUTCOME[outcome];
};

/** @throws CommandFailed if there is no such file */
export const opened = (path: string): ReadStream => {
  try {
    if (!statSync(path).isFile()) throw new CommandFailed(`${path} is not a file`, EXIT.usage);
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`${path} cannot be read`, EXIT.usage);
  }
  return createReadStream(path, { highWaterMark: 262_144 });
};

const showSetAside = ({ line, column, must }: SetAsideLine, output: Output): void =>
  writeResult(output, { setAside: { line, ...(column !== '' && { column }), must } }, () =>
    [output.paint('bad', 'set-aside'.padEnd(KIND_WIDTH)), `line ${line}`, column === '' ? must : `column ${column}: ${must}`].join('  '),
  );

const showSummary = (
  gate: GateAlias,
  { lines, setAside, digest, period, counts }: ReconciledFile,
  cases: CaseCounts,
  output: Output,
): void => {
  const span = period && { from: new Date(period.from).toISOString(), before: new Date(period.before).toISOString() };
  const data = { gate, lines, setAside, fileDigest: digest, period: span ?? null, counts, cases: cases ?? null };
  writeResult(output, { summary: data }, () => [
    '',
    `gate ${gate}, ${lines} lines${span === undefined ? '' : `, ${span.from} to ${span.before}`}`,
    ...Object.entries({ ...counts, 'set-aside': setAside }).map(([kind, count]) => {
      const tone = kind === 'matched' ? 'good' : count === 0 ? 'plain' : 'bad';
      return `  ${kind.padEnd(KIND_WIDTH)}  ${output.paint(tone, String(count))}`;
    }),
    ...casesLine(cases),
  ]);
};
