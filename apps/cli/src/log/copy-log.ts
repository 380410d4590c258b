import { existsSync } from 'node:fs';
import { systemScheduler } from '@app/kernel';
import { OutcomeUnknown, StoreDamaged, StoreUnavailable, type EventStore } from '@app/event-store';
import { copyLog, verifyCopy, type CopyProgress, type CopyReport, type CopyPhase } from '@app/event-store/copy';
import { EVENT_CODECS } from '@app/read-models/queries';
import type { EventStoreAddress } from '@app/event-store/stores';
import { parseStoreUrl } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { showCopy } from './copy-report';
import { selectedStreams, type SelectionOptions } from './selected-streams';
import { type EventLogReader, readEventLog, writeEventLog } from '../service/event-log';
import type { Output } from '../terminal/output';
import { progressOnStderr, ProgressDisplay, type ProgressTarget } from '../terminal/progress-display';
import { StopRequest } from '../terminal/stop-request';

type Side = '--from' | '--to';

/** The message never repeats the text, which may contain a password. @throws CommandFailed where it is no address of an event log */
const logAddress = (side: Side, text: string): EventStoreAddress => {
  const address = parseStoreUrl(text);
  if (address?.kind === 'postgres')
    throw new CommandFailed(`${side}: an event log lies in a file or in EventStoreDB, not in PostgreSQL`, EXIT.usage);
  if (address === undefined) throw new CommandFailed(`${side}: expected is a path, file:, esdb:// or esdb+discover://`, EXIT.usage);
  return address;
};

/** @throws CommandFailed where both name one log */
const assertDistinct = (from: EventStoreAddress, to: EventStoreAddress): void => {
  const isSameFile = from.kind === 'file' && to.kind === 'file' && from.path === to.path;
  const isSameServer = from.kind === 'eventstoredb' && to.kind === 'eventstoredb' && from.url.reveal() === to.url.reveal();
  if (isSameFile || isSameServer) throw new CommandFailed('--from and --to name the same log', EXIT.usage);
};

const assertLogExists = (side: Side, at: EventStoreAddress): void => {
  if (at.kind === 'file' && !existsSync(at.path)) throw new CommandFailed(`${side}: there is no event log at ${at.path}`);
};

/** SQLite's errors for a file that holds no event log. */
const NO_EVENT_LOG = /not a database|no such table|disk image is malformed/;

const withSide = async <Log>(side: Side, at: EventStoreAddress, opening: () => Promise<Log>): Promise<Log> => {
  try {
    return await opening();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    if (at.kind === 'file' && NO_EVENT_LOG.test(error.message)) throw new CommandFailed(`${side}: ${at.path} is no event log`);
    // The store's error names a setting, where this verb has an option.
    throw new CommandFailed(`${side}: ${error.message.replace(/^EVENTSTORE_URL: /, '')}`, error.exitCode);
  }
};

/** @throws CommandFailed */
const openToRead = (side: Side, at: EventStoreAddress): Promise<EventLogReader> => {
  assertLogExists(side, at);
  return withSide(side, at, () => readEventLog(at));
};

/** Creates the file where there is none; no other process may hold it. @throws CommandFailed */
const openToWrite = (side: Side, at: EventStoreAddress): Promise<EventStore> => withSide(side, at, () => writeEventLog(at));

const WORDS: Readonly<Record<CopyPhase, string>> = { survey: 'comparing', copy: 'copying', verify: 'verifying' };
const WHOLE = 100;

/** The share and the rate of a copy, counted for each phase from its own start. */
export class CopyProgressLine {
  readonly #display: ProgressDisplay;
  readonly #nowMs: () => number;
  #phase: CopyPhase | undefined;
  #phaseSinceMs = 0;

  constructor(target: ProgressTarget) {
    this.#display = new ProgressDisplay(target);
    this.#nowMs = target.nowMs;
  }

  update({ phase, events, eventsTotal }: CopyProgress): void {
    const nowMs = this.#nowMs();
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#phaseSinceMs = nowMs;
      this.#display.restart(nowMs);
      return;
    }
    this.#display.update(nowMs, () => {
      const rate = Math.round((events * 1_000) / Math.max(nowMs - this.#phaseSinceMs, 1));
      const share = eventsTotal === undefined ? '' : ` of ${eventsTotal} (${Math.floor((events * WHOLE) / Math.max(eventsTotal, 1))} %)`;
      return `${WORDS[phase]}: ${events}${share} events, ${rate} events/s`;
    });
  }

  /** Removes the line. */
  end(): void {
    this.#display.end();
  }
}

export interface CopyLogOptions extends SelectionOptions {
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
const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(EVENT_CODECS.map(({ category }) => category));

/**
 * `orch copy-log`: copies an event log, or some of its streams, into another store, and compares both by every stream's hash chain. Resolves
 * with the exit code: 0 where both sides are equal, 1 where they are not, 4 where the target was refused, 130 where it was stopped.
 * @throws CommandFailed
 */
export const copyLogTo = async (options: CopyLogOptions, output: Output): Promise<number> => {
  const [from, to] = [logAddress('--from', options.from), logAddress('--to', options.to)];
  assertDistinct(from, to);
  const isCopy = options.verifyOnly !== true;
  const stop = new StopRequest();
  const source = await openToRead('--from', from);
  try {
    const selection = await orFailed(selectedStreams(source, options), isCopy);
    const startedAt = performance.now();
    const settings = {
      source,
      selection,
      knownCategories: KNOWN_CATEGORIES,
      scheduler: systemScheduler,
      isStopRequested: () => stop.isRequested,
    };
    const report = await withProgress(output, (onProgress) =>
      isCopy
        ? withLog(openToWrite('--to', to), (target) => orFailed(copyLog({ ...settings, target, onProgress }), isCopy))
        : withLog(openToRead('--to', to), (target) => orFailed(verifyCopy({ ...settings, target, onProgress }), isCopy)),
    );
    const isWhole = selection === 'all';
    const seconds = (performance.now() - startedAt) / 1_000;
    showCopy({ report, isCopy, isWholeLog: isWhole, knownCategories: KNOWN_CATEGORIES, seconds }, output);
    return EXIT_CODES[report.outcome];
  } finally {
    await source.close();
  }
};

const withLog = async <Log extends EventLogReader, Result>(opening: Promise<Log>, work: (log: Log) => Promise<Result>): Promise<Result> => {
  const log = await opening;
  try {
    return await work(log);
  } finally {
    await log.close();
  }
};

const withProgress = async <Result>(
  output: Output,
  work: (onProgress: (made: CopyProgress) => void) => Promise<Result>,
): Promise<Result> => {
  if (output.isJson) return work(() => undefined);
  const line = new CopyProgressLine(progressOnStderr());
  try {
    return await work((made) => line.update(made));
  } finally {
    line.end();
  }
};

/** A store that stays unavailable is the user's problem, not a fault of the program. */
const orFailed = async <Result>(work: Promise<Result>, isCopy: boolean): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreUnavailable) && !(error instanceof OutcomeUnknown)) throw error;
    if (error instanceof StoreDamaged)
      throw new CommandFailed(`${error.message}. Nothing is read beyond that: docs/operations.md, section 6`);
    throw new CommandFailed(isCopy ? `${error.message}. What was copied stays; the same command again goes on.` : error.message);
  }
};
