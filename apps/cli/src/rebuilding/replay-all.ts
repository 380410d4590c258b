import { packageRoot, readEnvironment, type OrchestratorEnvironment } from '@app/configuration';
import { systemScheduler } from '@app/kernel';
import { ReplayRefused, type LocalReadModel, type Replay, type ReplayComparison } from '@app/projections';
import { CommandFailed, EXIT } from '../command-failed';
import { readEventLog, type EventLogReader } from '../service/event-log';
import { readReadModel } from '../service/read-model';
import { asJson, type Output } from '../terminal/output';
import { progressOnStderr } from '../terminal/progress-display';
import { RebuildProgressLine } from './rebuild-progress';
import { withReadModel } from './rebuild';

export interface ReplayAllOptions {
  /** Switch also where rows differ. */
  readonly switch?: boolean;
  readonly compareOnly?: boolean;
  readonly back?: boolean;
  readonly drop?: boolean;
}

/**
 * `orch replay --all`: builds the read models again beside those that serve, compares both, and switches where they are equal. The service goes on; the log
 * is read alone. An interrupted replay goes on where it had come.
 * @throws CommandFailed where it is refused, and where rows differ and nothing was switched
 */
export const replayAll = async (options: ReplayAllOptions, output: Output): Promise<void> => {
  if ([options.switch, options.compareOnly, options.back, options.drop].filter((one) => one === true).length > 1)
    throw new CommandFailed('--switch, --compare-only, --back and --drop exclude each other', EXIT.usage);
  const environment = readEnvironment(process.env, packageRoot());
  const log = await readEventLog(environment.eventStore, 'whole');
  try {
    await assertReplayable(environment, log);
    const line = output.isJson ? undefined : new RebuildProgressLine(progressOnStderr());
    await withReadModel(environment, log, line, (model) => run(model, options, line, output));
  } catch (error) {
    throw error instanceof ReplayRefused ? new CommandFailed(error.message, EXIT.refused) : error;
  } finally {
    await log.close();
  }
};

const assertReplayable = async (environment: OrchestratorEnvironment, log: EventLogReader): Promise<void> => {
  const reader = await readReadModel(environment, log);
  try {
    if (reader === undefined) throw new ReplayRefused('the read models were never built: start the service first');
    if (!(await reader.isReplayable()))
      throw new ReplayRefused('the read models are of an older release: start the service of this one first');
  } finally {
    await reader?.close();
  }
};

const run = async (
  model: LocalReadModel,
  options: ReplayAllOptions,
  line: RebuildProgressLine | undefined,
  output: Output,
): Promise<void> => {
  if (options.back === true) return reportBack(await model.replayBack(), output);
  if (options.drop === true) return reportDropped(await model.dropReplays(), output);
  const startedAt = performance.now();
  const replay = await model.replay(systemScheduler).finally(() => line?.end());
  try {
    const seconds = (performance.now() - startedAt) / 1_000;
    const compared = await replay.compare();
    const isEqual = compared?.every((one) => one.isEqual) === true;
    const isSwitched = options.compareOnly !== true && (isEqual || options.switch === true);
    if (isSwitched) await replay.switch();
    report({ replay, compared, seconds, isSwitched }, output);
    if (!isEqual && !isSwitched)
      throw new CommandFailed(
        compared === undefined
          ? 'not compared, for the serving read models did not come level with the log: is the service running?'
          : 'rows differ, and nothing was switched: --all --switch switches all the same, --all --drop drops what was built',
        EXIT.refused,
      );
  } finally {
    await replay.close();
  }
};

interface Replayed {
  readonly replay: Replay;
  readonly compared: readonly ReplayComparison[] | undefined;
  readonly seconds: number;
  readonly isSwitched: boolean;
}

const report = ({ replay, compared, seconds, isSwitched }: Replayed, output: Output): void => {
  const { events, parkedStreams, resumedFrom } = replay;
  if (output.isJson) {
    const projections = replay.generations.map(({ projection, generation }) => ({
      projection,
      generation,
      ...(compared?.find((one) => one.projection === projection) ?? { isEqual: null }),
    }));
    const resumed = resumedFrom === undefined ? {} : { resumedFrom };
    return output.line(asJson({ events, seconds: Number(seconds.toFixed(3)), parkedStreams, ...resumed, isSwitched, projections }));
  }
  const rate = Math.round(events / Math.max(seconds, 0.001));
  const from = resumedFrom === undefined ? '' : `, on from position ${resumedFrom}`;
  output.line(`${events} events read${from}, ${seconds.toFixed(1)} s, ${rate} events/s, ${parkedStreams} streams parked`);
  const width = Math.max(...replay.generations.map(({ projection }) => projection.length));
  for (const { projection, generation } of replay.generations) {
    const one = compared?.find((compare) => compare.projection === projection);
    output.line(`  ${projection.padEnd(width)}  generation ${generation}: ${one === undefined ? 'not compared' : comparisonText(one)}`);
  }
  output.line(isSwitched ? 'switched; the older generation is kept and follows the log: --all --back, --all --drop' : 'not switched');
};

const comparisonText = ({ rows, servingRows, isEqual }: ReplayComparison): string => {
  if (isEqual) return `${rows} rows, the same as those that serve`;
  return rows === servingRows ? `${rows} rows, as many as serve, with other content` : `${rows} rows, ${servingRows} serve`;
};

const reportBack = (moved: readonly string[], output: Output): void => {
  if (output.isJson) output.line(asJson({ back: moved }));
  else output.line(`the older generation serves again: ${moved.join(', ')}`);
};

const reportDropped = (dropped: number, output: Output): void => {
  if (output.isJson) output.line(asJson({ dropped }));
  else output.line(`${dropped} generations dropped`);
};
