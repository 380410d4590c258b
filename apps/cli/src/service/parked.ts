import { packageRoot, readEnvironment } from '@app/configuration';
import { parkedCause, type ParkedCause, type ParkedStream } from '@app/read-models';
import { CommandFailed } from '../command-failed';
import { readEventLog } from './event-log';
import { readReadModel } from './read-model';
import { asJson, listing, type Output } from '../terminal/output';

const LISTED_MAX = 1_000;

const NEXT_STEPS: Readonly<Record<ParkedCause, (stream: string) => string>> = {
  'chain-broken': () => 'the log is not what was written: keep its files as they are, and run orch log verify',
  'event-unreadable': (stream) => `a newer release wrote the event: finish the upgrade, then run orch rebuild --stream ${stream}`,
  'not-applied': (stream) =>
    `run orch rebuild --stream ${stream}; if it stays parked, this release cannot apply the event: install a newer one`,
};

/** One entry for each stream, in the order of the rows: its first event that some projection lacks. */
const parkedEntries = (rows: readonly ParkedStream[]) =>
  [...new Set(rows.map(({ stream }) => stream))].map((stream) => {
    const ofStream = rows.filter((row) => row.stream === stream);
    const first = ofStream.reduce((least, row) => (row.revision < least.revision ? row : least));
    const cause = parkedCause(first);
    return {
      stream,
      cause,
      revision: first.revision,
      eventId: first.eventId,
      error: first.error,
      parkedAt: new Date(first.parkedAt).toISOString(),
      projections: ofStream.map(({ projection }) => projection),
      next: NEXT_STEPS[cause](stream),
    };
  });

/** `orch streams parked`: the streams that a read model goes on without (architecture, rule 15); reads beside a running service. @throws CommandFailed */
export const listParked = (terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const environment = readEnvironment(process.env, packageRoot());
    const log = await readEventLog(environment.eventStore);
    try {
      const readModel = await readReadModel(environment, log);
      if (readModel === undefined) throw new CommandFailed('the read model was never built: start the service, or orch rebuild');
      const rows = await readModel.parkedStreams(LISTED_MAX).finally(() => readModel.close());
      for (const entry of parkedEntries(rows)) {
        if (output.isJson) {
          output.line(asJson(entry));
          continue;
        }
        output.line(`${entry.stream}  ${entry.cause}, parked ${entry.parkedAt} by ${entry.projections.join(', ')}`);
        output.line(`  event ${entry.revision} (${entry.eventId}): ${entry.error}`);
        output.line(`  next: ${entry.next}`);
      }
    } finally {
      await log.close();
    }
  });
