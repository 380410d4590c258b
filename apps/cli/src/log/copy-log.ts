import { existsSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { type MerchantLogin, systemScheduler } from '@app/kernel';
import { type StreamName, OutcomeUnknown, StoreDamaged, StoreUnavailable, type EventStore } from '@app/event-store';
import {
  SELECTED_STREAMS_MAX,
  type Selection,
  type CopyReport,
  type Inspection,
  copyLog,
  verifyCopy,
  type CopyProgress,
  type CopyPhase,
} from '@app/event-store/copy';
import type { EventStoreAddress } from '@app/event-store/stores';
import { parseStoreUrl } from '@app/configuration';
import {
  CommandFailed,
  EXIT,
  type Output,
  printable,
  withProgress,
  StopRequest,
  counted,
  writeResult,
  type CommandContext,
  collect,
} from '../terminal';
import { findOrder, holdsEvents } from '../orders/find-order';
import type { NameKind } from '@app/investigation';
import { severalStreams, shownName } from '../orders/order-name';
import { orderStreams } from '../orders/story';
import { type EventLogReader, KNOWN_CATEGORIES, readEventLog, withLog, writeEventLog } from '../stores';

export interface SelectionOptions {
  readonly stream: readonly string[];
  readonly order?: string;
  readonly orderid?: string;
  readonly clientOrderid?: string;
  readonly merchant?: MerchantLogin;
}

interface NamedOrder {
  readonly option: string;
  readonly name: string;
  readonly by?: NameKind;
}

/** @throws CommandFailed if several options name one */
const orderNamed = ({ order, orderid, clientOrderid }: SelectionOptions): NamedOrder | undefined => {
  const named: readonly NamedOrder[] = [
    ...(order === undefined ? [] : [{ option: '--order', name: order }]),
    ...(orderid === undefined ? [] : [{ option: '--orderid', name: orderid, by: 'orderid' as const }]),
    ...(clientOrderid === undefined ? [] : [{ option: '--client-orderid', name: clientOrderid, by: 'client_orderid' as const }]),
  ];
  if (named.length > 1) throw new CommandFailed(`${named.map(({ option }) => option).join(' and ')} exclude each other`, EXIT.usage);
  return named[0];
};

/** Reads only the log: the source may have no read model. */
const streamsOfOrder = async (
  log: EventLogReader,
  { option, name, by }: NamedOrder,
  merchant: MerchantLogin | undefined,
): Promise<readonly StreamName[]> => {
  const readers = { log, readModel: undefined };
  const orders = await findOrder(readers, name, merchant === undefined ? 'any' : [merchant], by);
  const shown = shownName(name);
  if (orders.length === 0) throw new CommandFailed(`${option}: no order ${shown} in the source`, EXIT.notFound);
  if (orders.length > 1) throw new CommandFailed(`${option}: ${await severalStreams(log, name, orders)}`, EXIT.usage);
  const found = await Promise.all(orders.map((order) => orderStreams(readers, order)));
  if (found.some(({ isWhole }) => !isWhole)) {
    throw new CommandFailed(
      `${option}: ${shown} holds an event that this release cannot read, so its streams are not known; --stream names them`,
    );
  }
  return found.flatMap(({ streams }) => streams);
};

const streamsNamed = async (log: EventLogReader, names: readonly string[]): Promise<readonly StreamName[]> => {
  for (const name of names) {
    if (!(await holdsEvents(log, name as StreamName))) {
      throw new CommandFailed(`--stream: no stream ${shownName(name)} in the source`, EXIT.notFound);
    }
  }
  return names as readonly StreamName[];
};

export const selectedStreams = async (log: EventLogReader, options: SelectionOptions): Promise<Selection> => {
  const { stream, merchant } = options;
  const order = orderNamed(options);
  if (order === undefined && merchant !== undefined) throw new CommandFailed('--merchant needs --order', EXIT.usage);
  if (order !== undefined && stream.length > 0) throw new CommandFailed(`${order.option} and --stream exclude each other`, EXIT.usage);
  const streams = order === undefined ? await streamsNamed(log, stream) : await streamsOfOrder(log, order, merchant);
  if (streams.length === 0) return 'all';
  const names = [...new Set(streams)];
  if (names.length > SELECTED_STREAMS_MAX)
    throw new CommandFailed(`${names.length} streams: at most ${SELECTED_STREAMS_MAX} at once`, EXIT.usage);
  return names;
};

export interface CopyOutcome {
  readonly report: CopyReport;
  readonly isCopy: boolean;
  readonly isWholeLog: boolean;
  readonly knownCategories: ReadonlySet<string>;
  readonly seconds: number;
}

const FAULTS_SHOWN_MAX = 20;
const VAULT_LINE =
  'Cards and sealed texts are not in a log: a service on the target needs the vault and the key ring of the source (docs/run.md, "Move a log"). ' +
  'Without them the target can be read: orch show, orch rebuild.';
const PART_LINE =
  'A part of a log is for reading only: it lacks the serial numbers and unique claims of the whole, so no service may write to it.';

const outcomeLines = ({ report, isCopy, seconds }: CopyOutcome, { paint }: Output): readonly string[] => {
  const { outcome, phase, appended, inspection } = report;
  const written = `${counted(appended, 'event')} written in ${seconds.toFixed(1)} s`;
  switch (outcome) {
    case 'equal': {
      const held = `${counted(inspection.events, 'event')} of ${counted(inspection.streams, 'stream')}`;
      const equal = paint('good', `equal: ${held}, the same on both sides, by every stream’s hash chain`);
      return isCopy ? [written, equal] : [equal];
    }
    case 'refused':
      return [paint('bad', 'the target was left as it is: what it holds is not the beginning of what the source holds')];
    case 'differs':
      return [...(isCopy ? [written] : []), paint('bad', `not the same on both sides: ${counted(report.faults.length, 'stream')}`)];
    case 'stopped':
      if (!isCopy) return ['stopped before all was verified'];
      return phase === 'verify'
        ? [written, 'stopped before all was verified: the same command again, or --verify-only']
        : [written, 'stopped between two appends: the same command again goes on from there'];
  }
};

const categoryLines = ({ categories, leftOut }: Inspection, knownCategories: ReadonlySet<string>, { paint }: Output): readonly string[] => {
  const width = Math.max(0, ...[...categories.keys()].map(({ length }) => length));
  const lines = [...categories].map(([category, { streams, events }]) => {
    const known = knownCategories.has(category) ? '' : paint('waiting', ' (not known to this release; copied as it is)');
    return `  ${category.padEnd(width)}  ${counted(streams, 'stream')}, ${counted(events, 'event')}${known}`;
  });
  if (leftOut.events === 0) return lines;
  const what = `${counted(leftOut.streams, 'stream')} with ${counted(leftOut.events, 'event')}`;
  const names = leftOut.examples.map(printable).join(', ');
  return [...lines, paint('bad', `  LEFT OUT, as not of this service: ${what}; for example ${names}`)];
};

const faultLines = ({ faults }: CopyReport): readonly string[] => [
  ...faults.slice(0, FAULTS_SHOWN_MAX).map(({ stream, text }) => `  ${printable(stream)}: ${text}`),
  ...(faults.length > FAULTS_SHOWN_MAX ? [`  and ${faults.length - FAULTS_SHOWN_MAX} more; --json names them`] : []),
];

const asData = ({ report, knownCategories, seconds }: CopyOutcome): object => {
  const { outcome, phase, appended, inspection, faults, hasSourceGrown } = report;
  return {
    outcome,
    phase,
    appended,
    streams: inspection.streams,
    events: inspection.events,
    held: inspection.held,
    seconds: Number(seconds.toFixed(3)),
    categories: [...inspection.categories].map(([category, count]) => ({ category, isKnown: knownCategories.has(category), ...count })),
    leftOut: inspection.leftOut,
    hasSourceGoneOn: hasSourceGrown,
    faults,
  };
};

export const showCopy = (outcome: CopyOutcome, output: Output): void => {
  const { report, isCopy, isWholeLog, knownCategories } = outcome;
  writeResult(output, asData(outcome), () => [
    ...outcomeLines(outcome, output),
    ...categoryLines(report.inspection, knownCategories, output),
    ...faultLines(report),
    ...(report.hasSourceGrown ? ['The source was written to during the copy. Run the command again for the rest.'] : []),
    ...(isCopy && report.outcome === 'equal' ? [...(isWholeLog ? [] : [PART_LINE]), VAULT_LINE] : []),
  ]);
};

type Side = '--from' | '--to';

/** The message never repeats the text, which may contain a password. @throws CommandFailed if it is no address of an event log */
const logAddress = (side: Side, text: string): EventStoreAddress => {
  const address = parseStoreUrl(text);
  if (address?.kind === 'postgres')
    throw new CommandFailed(`${side}: an event log lies in a file or in EventStoreDB, not in PostgreSQL`, EXIT.usage);
  if (address === undefined) throw new CommandFailed(`${side}: expected is a path, file:, esdb:// or esdb+discover://`, EXIT.usage);
  return address;
};

const assertDistinct = (from: EventStoreAddress, to: EventStoreAddress): void => {
  const isSameFile = from.kind === 'file' && to.kind === 'file' && from.path === to.path;
  const isSameServer = from.kind === 'eventstoredb' && to.kind === 'eventstoredb' && from.url.reveal() === to.url.reveal();
  if (isSameFile || isSameServer) throw new CommandFailed('--from and --to name the same log', EXIT.usage);
};

const assertLogExists = (side: Side, at: EventStoreAddress): void => {
  if (at.kind === 'file' && !existsSync(at.path)) throw new CommandFailed(`${side}: no event log at ${at.path}`);
};

/** SQLite's errors for a file without an event log. */
const NO_EVENT_LOG = /not a database|no such table|disk image is malformed/;

const withSide = async <Log>(side: Side, at: EventStoreAddress, opening: () => Promise<Log>): Promise<Log> => {
  try {
    return await opening();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    if (at.kind === 'file' && NO_EVENT_LOG.test(error.message)) throw new CommandFailed(`${side}: ${at.path} is no event log`);
    throw new CommandFailed(`${side}: ${error.message.replace(/^EVENTSTORE_URL: /, '')}`, error.exitCode);
  }
};

const openToRead = (side: Side, at: EventStoreAddress): Promise<EventLogReader> => {
  assertLogExists(side, at);
  return withSide(side, at, () => readEventLog(at));
};

/** Creates a missing file; no other process may hold it. @throws CommandFailed */
const openToWrite = (side: Side, at: EventStoreAddress): Promise<EventStore> => withSide(side, at, () => writeEventLog(at));

const WORDS: Readonly<Record<CopyPhase, string>> = { survey: 'comparing', copy: 'copying', verify: 'verifying' };
const WHOLE = 100;

export const progressText = ({ phase, events, eventsTotal }: CopyProgress, elapsedMs: number): string => {
  const rate = Math.round((events * 1_000) / elapsedMs);
  const share = eventsTotal === undefined ? '' : ` of ${eventsTotal} (${Math.floor((events * WHOLE) / Math.max(eventsTotal, 1))} %)`;
  return `${WORDS[phase]}: ${events}${share} events, ${rate} events/s`;
};

interface CopyLogOptions extends SelectionOptions {
  readonly from: string;
  readonly to: string;
  readonly verifyOnly?: true;
}

const EXIT_CODES: Readonly<Record<CopyReport['outcome'], number>> = {
  equal: 0,
  differs: EXIT.failed,
  refused: EXIT.refused,
  stopped: EXIT.interrupted,
};

/**
 * `orch copy-log`: copies an event log, or some of its streams, into another store, and compares every stream's hash chain.
 * Exit code: 0 if equal, 1 if different, 4 if the target was refused, 130 if stopped.
 * @throws CommandFailed
 */
export const copyLogTo = async (options: CopyLogOptions, output: Output): Promise<number> => {
  const [from, to] = [logAddress('--from', options.from), logAddress('--to', options.to)];
  assertDistinct(from, to);
  const isCopy = options.verifyOnly !== true;
  const stop = new StopRequest();
  return withLog(openToRead('--from', from), async (source) => {
    const selection = await orFailed(selectedStreams(source, options), isCopy);
    const startedAt = performance.now();
    const isStopRequested = (): boolean => stop.isRequested;
    const settings = { source, selection, knownCategories: KNOWN_CATEGORIES, scheduler: systemScheduler, isStopRequested };
    const report = await withProgress(output, (display) => {
      const onProgress = (made: CopyProgress): void => display.update((elapsedMs) => progressText(made, elapsedMs), made.phase);
      return isCopy
        ? withLog(openToWrite('--to', to), (target) => orFailed(copyLog({ ...settings, target, onProgress }), isCopy))
        : withLog(openToRead('--to', to), (target) => orFailed(verifyCopy({ ...settings, target, onProgress }), isCopy));
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    showCopy({ report, isCopy, isWholeLog: selection === 'all', knownCategories: KNOWN_CATEGORIES, seconds }, output);
    return EXIT_CODES[report.outcome];
  });
};

/** An unavailable store is the user's problem, not a fault of the program. */
const orFailed = async <Result>(work: Promise<Result>, isCopy: boolean): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreUnavailable) && !(error instanceof OutcomeUnknown)) throw error;
    if (error instanceof StoreDamaged)
      throw new CommandFailed(`${error.message}. Nothing is read beyond that: docs/recover.md, "A damaged log file"`);
    throw new CommandFailed(isCopy ? `${error.message}. The copied events stay. Run the same command again to continue.` : error.message);
  }
};

/** A password in an argument appears in the list of processes; one in the environment does not. */
const logOption = (flag: string, variable: string, description: string): Option =>
  new Option(`${flag} <url>`, description).env(variable).makeOptionMandatory();

export const addCopyLogCommand = (program: Command, { output, endedWith }: CommandContext): void => {
  program
    .command('copy-log')
    .description('copy an event log into another store, or continue a copy, and compare every stream; nothing else may write to the target')
    .addOption(logOption('--from', 'COPY_LOG_FROM', 'the log to read: a path, file:, esdb:// or esdb+discover://'))
    .addOption(logOption('--to', 'COPY_LOG_TO', 'the log to write, in the same form; a missing file is created'))
    .option('--verify-only', 'compare both and write nothing')
    .option('--stream <name>', 'copy only this stream; can be repeated', collect, [])
    .option(
      '--order <order>',
      'copy only the streams of one order (its events, callbacks and card references), by orderid or client_orderid',
    )
    .option('--orderid <id>', 'the same, by orderid')
    .option('--client-orderid <id>', 'the same, by client_orderid')
    .option('--merchant <login>', 'the merchant of the order')
    .action(async (options: CopyLogOptions) => {
      endedWith(await copyLogTo(options, output()));
    });
};
