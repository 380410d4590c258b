import { systemClock, systemScheduler } from '@app/kernel';
import { type OrchestratorEnvironment, packageRoot, readEnvironment } from '@app/configuration';
import {
  openReadModel,
  readModelPlace,
  type EventLog,
  type LocalReadModel,
  type ProjectionContents,
  type ReadModel,
  type Rebuilt,
} from '@app/projections';
import { decodeAny, openWorkDefinitions } from '@app/order-queries';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from '../operator/operator-port';
import { operatorToken } from '../operator/operator-token';
import { lockEventLog, readEventLog, type EventLogReader } from '../service/event-log';
import { readReadModel } from '../service/read-model';
import { asJson, type Output } from '../terminal/output';
import { progressOnStderr } from '../terminal/progress-display';
import { RebuildProgressLine } from './rebuild-progress';

export interface RebuildOptions {
  readonly only: readonly string[];
  readonly stream?: string;
}

/**
 * `orch rebuild`: rebuilds the read models from the log, or resumes one parked stream (architecture, rule 15). A full rebuild needs the service
 * stopped: this release may project other tables than the running one, and would drop those; `orch replay --all` makes the same tables beside those
 * that serve. A running service resumes a single stream itself.
 * @throws CommandFailed
 */
export const rebuild = async ({ only, stream }: RebuildOptions, output: Output): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  if (stream !== undefined && only.length > 0)
    throw new CommandFailed('--stream goes to every projection that parked it: leave out --only', EXIT.usage);
  await (stream === undefined ? rebuildAll(environment, only, output) : unparkStream(environment, stream, output));
};

const rebuildAll = async (environment: OrchestratorEnvironment, only: readonly string[], output: Output): Promise<void> => {
  // The lock of the log's file keeps a service from starting meanwhile.
  const lock = await lockEventLog(environment.eventStore);
  try {
    const log = await readEventLog(environment.eventStore, 'whole');
    try {
      await rebuildFrom(log, environment, only, output);
    } finally {
      await log.close();
    }
  } finally {
    await lock.close();
  }
};

const rebuildFrom = async (
  log: EventLogReader,
  environment: OrchestratorEnvironment,
  only: readonly string[],
  output: Output,
): Promise<void> => {
  // An unreachable server is reported at once, where a rebuild would wait for it.
  await (await readReadModel(environment, log))?.close();
  const line = output.isJson ? undefined : new RebuildProgressLine(progressOnStderr());
  await withReadModel(environment, log, line, async (model) => {
    const before = await model.contents();
    const startedAt = performance.now();
    const rebuilt = await rebuiltBy(model, only).finally(() => line?.end());
    const seconds = (performance.now() - startedAt) / 1_000;
    report(rebuilt, before, await model.contents(), seconds, output);
    if (rebuilt.parkedStreams > 0) throw new CommandFailed(await parkedText(model, rebuilt));
  });
};

const PARKED_NAMED_MAX = 5;

/** Shows the events that the read models lack, and why. */
const parkedText = async (model: ReadModel, { projections, parkedStreams }: Rebuilt): Promise<string> => {
  const parked = (await model.parkedStreams(parkedStreams)).filter(({ projection }) => projections.includes(projection));
  const causes = new Map(parked.map(({ stream, error }) => [stream, `${stream}: ${error}`]));
  const named = [...causes.values()].slice(0, PARKED_NAMED_MAX);
  const more = causes.size > named.length ? `, and ${causes.size - named.length} more` : '';
  return `${causes.size} streams are parked: ${named.join('; ')}${more}`;
};

export const withReadModel = async (
  environment: OrchestratorEnvironment,
  log: EventLog,
  line: RebuildProgressLine | undefined,
  work: (model: LocalReadModel) => Promise<void>,
): Promise<void> => {
  const model = await openReadModel({
    ...readModelPlace(environment.readModel, systemScheduler),
    log,
    decode: decodeAny,
    clock: systemClock,
    openWork: openWorkDefinitions,
    onProgress: (progress) => line?.update(progress),
  });
  try {
    await work(model);
  } finally {
    await model.close();
  }
};

const rebuiltBy = async (model: ReadModel, only: readonly string[]): Promise<Rebuilt> => {
  const known = (await model.health()).map(({ projection }) => projection);
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new CommandFailed(`no projection ${unknown.join(', ')}; there are ${known.join(', ')}`, EXIT.usage);
  return model.rebuild(only.length === 0 ? 'all' : only);
};

const report = (
  { projections, events, parkedStreams }: Rebuilt,
  before: readonly ProjectionContents[],
  after: readonly ProjectionContents[],
  seconds: number,
  output: Output,
): void => {
  const changes = after
    .filter(({ projection }) => projections.includes(projection))
    .map((now) => ({
      ...now,
      change: changeOf(
        before.find(({ projection }) => projection === now.projection),
        now,
      ),
    }));
  if (output.isJson) {
    const rows = changes.map(({ projection, generation, rows, change }) => ({ projection, generation, rows, change }));
    output.line(asJson({ events, seconds: Number(seconds.toFixed(3)), parkedStreams, projections: rows }));
    return;
  }
  output.line(`${events} events read, ${changes.reduce((sum, { rows }) => sum + rows, 0)} rows written, ${seconds.toFixed(1)} s`);
  const width = Math.max(...changes.map(({ projection }) => projection.length));
  for (const { projection, generation, rows, change } of changes) {
    output.line(`  ${projection.padEnd(width)}  ${rows} ${rows === 1 ? 'row' : 'rows'} in generation ${generation}: ${change}`);
  }
};

const changeOf = (before: ProjectionContents | undefined, now: ProjectionContents): string => {
  if (before?.generation === undefined) return 'built for the first time';
  if (before.rows !== now.rows) return `${before.rows} rows before`;
  return before.digest === now.digest ? 'the same as before' : 'as many as before, with other content';
};

const unparkStream = async (environment: OrchestratorEnvironment, stream: string, output: Output): Promise<void> => {
  const path = `/streams/${encodeURIComponent(stream)}/unparking`;
  const { applied } = (await askOperatorPort(environment, operatorToken(process.env, environment), path, claimOf())) as {
    readonly applied: readonly string[];
  };
  if (output.isJson) output.line(asJson({ stream, applied }));
  else output.line(`${stream}: taken up again by ${applied.join(', ')}`);
};
