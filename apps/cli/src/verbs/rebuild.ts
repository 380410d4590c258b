import type { Command } from 'commander';
import { systemClock, systemScheduler } from '@app/kernel';
import {
  openReadModel,
  readModelPlace,
  RebuildRefused,
  type LocalReadModel,
  type ReadModel,
  type Rebuilt,
  type RebuildProgress,
  parkedByStream,
} from '@app/read-models';
import { decodeAny, openWorkDefinitions } from '@app/read-models/queries';
import {
  ACTOR,
  CommandFailed,
  EXIT,
  REASON,
  type Output,
  withProgress,
  listing,
  writeResult,
  counted,
  type CommandContext,
  collect,
} from '../terminal';
import { claimOf, OperatorPort } from '../operator-port';
import { readEventLog, withLog, readReadModel, ownEnvironment, withReaders, builtReadModel } from '../stores';

const WHOLE = 100;
const MINUTE_S = 60;
const HOUR_S = 3_600;

const LEADING_NUMBER = /^\d+/;
const offsetOf = (position: string): number => Number(LEADING_NUMBER.exec(position)?.[0] ?? 0);

const durationText = (seconds: number): string => {
  if (seconds < MINUTE_S) return `${Math.ceil(seconds)} s`;
  if (seconds < HOUR_S) return `${Math.ceil(seconds / MINUTE_S)} min`;
  return `${Math.floor(seconds / HOUR_S)} h ${Math.ceil((seconds % HOUR_S) / MINUTE_S)} min`;
};

export const progressText = ({ events, position, head }: RebuildProgress, elapsedMs: number): string => {
  const seconds = elapsedMs / 1_000;
  const share = Math.min(offsetOf(position) / Math.max(offsetOf(head), 1), 1);
  const left = share > 0 ? `, ${Math.floor(share * WHOLE)} %, about ${durationText((seconds / share) * (1 - share))} left` : '';
  return `projecting: ${events} events, ${Math.round(events / seconds)} events/s${left}`;
};

interface RebuildOptions {
  readonly only: readonly string[];
}

/**
 * `orch rebuild`: rebuilds the read models from the log.
 * @throws CommandFailed
 */
export const rebuild = ({ only }: RebuildOptions, output: Output): Promise<void> => {
  const environment = ownEnvironment();
  return withLog(readEventLog(environment.eventStore), async (log) => {
    // Reports an unreachable server at once; a rebuild would wait for it.
    await (await readReadModel(environment, log))?.close();
    await withProgress(output, async (display) => {
      const model = await openReadModel({
        ...readModelPlace(environment.readModel, systemScheduler),
        log,
        decode: decodeAny,
        clock: systemClock,
        openWork: openWorkDefinitions,
        onProgress: (progress) => display.update((elapsedMs) => progressText(progress, elapsedMs)),
      });
      try {
        const startedAt = performance.now();
        const rebuilt = await rebuiltBy(model, only).finally(() => display.end());
        report(rebuilt, (performance.now() - startedAt) / 1_000, output);
        if (rebuilt.parkedStreams > 0) throw new CommandFailed(await parkedText(model, rebuilt));
      } finally {
        await model.close();
      }
    });
  });
};

const PARKED_NAMED_MAX = 5;

const parkedText = async (model: ReadModel, { projections, parkedStreams }: Rebuilt): Promise<string> => {
  const parked = (await model.parkedStreams(parkedStreams)).filter((one) =>
    projections.some(({ projection }) => projection === one.projection),
  );
  const causes = new Map(parked.map(({ stream, error }) => [stream, `${stream}: ${error}`]));
  const named = [...causes.values()].slice(0, PARKED_NAMED_MAX);
  const more = causes.size > named.length ? `, and ${causes.size - named.length} more` : '';
  return `${causes.size} streams are parked: ${named.join('; ')}${more}`;
};

const rebuiltBy = async (model: LocalReadModel, only: readonly string[]): Promise<Rebuilt> => {
  const known = (await model.health()).map(({ projection }) => projection);
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new CommandFailed(`unknown projection ${unknown.join(', ')}. Choose from ${known.join(', ')}`, EXIT.usage);
  try {
    return await model.rebuild(only.length === 0 ? 'all' : only);
  } catch (error) {
    throw error instanceof RebuildRefused ? new CommandFailed(error.message, EXIT.refused) : error;
  }
};

const report = ({ projections, events, parkedStreams }: Rebuilt, seconds: number, output: Output): void => {
  const width = Math.max(...projections.map(({ projection }) => projection.length));
  writeResult(output, { events, seconds: Number(seconds.toFixed(3)), parkedStreams, projections }, () => [
    `${events} events read, ${projections.reduce((sum, { rows }) => sum + rows, 0)} rows written, ${seconds.toFixed(1)} s`,
    ...projections.map(
      ({ projection, generation, rows }) => `  ${projection.padEnd(width)}  ${counted(rows, 'row')} in generation ${generation}`,
    ),
  ]);
};

interface UnparkOptions {
  readonly reason: string;
  readonly actor?: string;
}

/** Has the running service resume one parked stream. */
const unparkStream = async (stream: string, { reason, actor }: UnparkOptions, output: Output): Promise<void> => {
  const path = `/streams/${encodeURIComponent(stream)}/unparking`;
  const { applied } = await OperatorPort.of().ask<{ readonly applied: readonly string[] }>(path, { reason, ...claimOf(actor) });
  writeResult(output, { stream, applied }, () => `${stream}: projected again by ${applied.join(', ')}`);
};

const LISTED_MAX = 1_000;

const listParked = (terminal: Output): Promise<void> =>
  listing(terminal, (output) =>
    withReaders(ownEnvironment(), async (readers) => {
      for (const entry of parkedByStream(await builtReadModel(readers).parkedStreams(LISTED_MAX)))
        writeResult(output, entry, () => [
          `${entry.stream}  ${entry.cause}, parked ${entry.parkedAt} by ${entry.projections.join(', ')}`,
          `  event ${entry.revision} (${entry.eventId}): ${entry.error}`,
          `  next: ${entry.next}`,
        ]);
    }),
  );

export const addRebuildCommands = (program: Command, { output }: CommandContext): void => {
  program
    .command('rebuild')
    .description('rebuild the read models from the event log, with or without a running service')
    .option('--only <projection>', 'rebuild only this projection; can be repeated', collect, [])
    .action((options: RebuildOptions) => rebuild(options, output()));

  const streams = program.command('streams').description('streams of the event log');
  streams
    .command('parked')
    .description('list the streams that the read models skip, with time, cause and next step')
    .action(() => listParked(output()));
  streams
    .command('unpark')
    .description('project a parked stream again, in every read model that skips it; needs a running service')
    .argument('<stream>', 'its name in orch streams parked')
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((stream: string, options: UnparkOptions) => unparkStream(stream, options, output()));
};
