import { systemScheduler } from '@app/kernel';
import { OutcomeUnknown, StoreDamaged, StoreUnavailable } from '@app/event-store';
import { copyLog, verifyCopy, type CopyProgress, type CopyReport } from '@app/event-store/copy';
import { EVENT_CODECS } from '@app/read-models/queries';
import { CommandFailed, EXIT } from '../command-failed';
import { showCopy } from './copy-report';
import { assertDistinct, logAddress, openToRead, openToWrite } from './log-address';
import { CopyProgressLine } from './copy-progress';
import { selectedStreams, type SelectionOptions } from './selected-streams';
import type { EventLogReader } from '../service/event-log';
import type { Output } from '../terminal/output';
import { progressOnStderr } from '../terminal/progress-display';
import { StopRequest } from '../terminal/stop-request';

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
