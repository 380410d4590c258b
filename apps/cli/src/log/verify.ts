import {
  EventProofs,
  isCheckpointOf,
  TileDamaged,
  verifyLog,
  type FoundCheckpoint,
  type MadeProof,
  type SignedCheckpoint,
  type VerifyKey,
} from '@app/investigation';
import { packageRoot, readEnvironment, type OrchestratorEnvironment } from '@app/configuration';
import type { StoredEvent } from '@app/event-store';
import { EVENT_CODECS } from '@app/read-models/queries';
import { CommandFailed, EXIT } from '../command-failed';
import { withOrders } from '../order/named-orders';
import { namedOrders, type NameOptions } from '../order/one-order';
import { orderStreams } from '../order/order-story';
import { readEventLog } from '../service/event-log';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';
import { progressOnStderr, ProgressDisplay } from '../terminal/progress-display';
import { StopRequest } from '../terminal/stop-request';
import { openLogPlaces, readCheckpointFile } from './log-places';
import { verifyKey } from './log-key';
import { NO_KEY_LINE, showVerification } from './verify-report';

export interface VerifyOptions extends NameOptions {
  readonly key?: string;
  readonly since?: string;
}

const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(EVENT_CODECS.map(({ category }) => category));

/**
 * `orch log verify [order]`: reads the log as it is stored, beside a running service or without one, and compares it with its tree and with every signed
 * checkpoint. Resolves with the exit code: 0 where all fits, 1 where something does not, 130 where it was stopped. @throws CommandFailed
 */
export const verify = async (order: string | undefined, options: VerifyOptions, output: Output): Promise<number> => {
  const environment = readEnvironment(process.env, packageRoot());
  const key = verifyKey(options.key, environment);
  if (order === undefined && options.merchant !== undefined) throw new CommandFailed('--merchant goes with an order', EXIT.usage);
  if (order !== undefined && options.since !== undefined) throw new CommandFailed('--since goes without an order', EXIT.usage);
  try {
    return await (order === undefined ? verifyWhole(environment, key, options.since, output) : verifyOrder(order, options, key, output));
  } catch (error) {
    throw error instanceof TileDamaged ? new CommandFailed(`${environment.logProofsDir}: ${error.message}`) : error;
  }
};

/** @throws CommandFailed where the key did not sign it */
const sinceOf = (path: string, key: VerifyKey | undefined, origin: string): SignedCheckpoint => {
  const checkpoint = readCheckpointFile(path);
  if (key === undefined)
    throw new CommandFailed('--since goes with the key that signed the checkpoint: --key, or LOG_VERIFY_KEY', EXIT.usage);
  if (!isCheckpointOf(checkpoint, key)) throw new CommandFailed(`${path}: the key did not sign it`);
  if (checkpoint.origin !== origin) throw new CommandFailed(`${path}: a checkpoint of another log, ${checkpoint.origin}`);
  return checkpoint;
};

const verifyWhole = async (
  environment: OrchestratorEnvironment,
  key: VerifyKey | undefined,
  since: string | undefined,
  output: Output,
): Promise<number> => {
  const { eventStore } = environment;
  const log = await readEventLog(eventStore);
  const stop = new StopRequest();
  const display = output.isJson ? undefined : new ProgressDisplay(progressOnStderr());
  try {
    const { files, places, origin } = await openLogPlaces(environment);
    const startedAt = performance.now();
    const report = await verifyLog({
      log,
      files,
      places,
      key,
      origin,
      knownCategories: KNOWN_CATEGORIES,
      hasEveryPosition: eventStore.kind === 'file',
      isStopRequested: () => stop.isRequested,
      onProgress: (events) => display?.update(performance.now(), () => `verifying: ${events} events`),
      ...(since !== undefined && { since: sinceOf(since, key, origin) }),
    }).finally(() => display?.end());
    const seconds = (performance.now() - startedAt) / 1_000;
    showVerification({ report, isKeyGiven: key !== undefined, seconds }, output);
    if (!report.isComplete) return EXIT.interrupted;
    return report.findings.length === 0 ? 0 : EXIT.failed;
  } finally {
    await log.close();
  }
};

type EventState = Exclude<MadeProof['kind'], 'proof'> | 'proved';

const STATES: Readonly<Record<EventState, string>> = {
  proved: 'as it was written, under the checkpoint',
  'not-covered': 'under no checkpoint yet',
  'event-differs': 'NOT the event that was written in its place',
  'no-leaf': 'NOT in the tree: it has no hash chain',
};

const verifyOrder = (name: string, options: VerifyOptions, key: VerifyKey | undefined, output: Output): Promise<number> =>
  withOrders(options.merchant, async (verb) => {
    const { environment, readers } = verb;
    const { files, places, origin } = await openLogPlaces(environment);
    const proofs = await EventProofs.open({ log: readers.log, files, places, key, origin });
    const counts = new Map<EventState, number>();
    for (const order of await namedOrders(verb, name, options, output)) {
      for (const stream of (await orderStreams(readers, order)).streams) {
        for await (const event of readers.log.read(stream)) {
          const state = stateOf(await proofs.of(event));
          counts.set(state, (counts.get(state) ?? 0) + 1);
          output.line(output.isJson ? asJson({ ...named(event), state }) : eventLine(event, state, output));
        }
      }
    }
    const { checkpoint } = proofs;
    const beyond = counts.has('not-covered') ? await proofs.beyond() : undefined;
    if (output.isJson) {
      if (beyond !== undefined)
        output.line(asJson({ state: 'not-reached', origin: beyond.checkpoint.origin, size: beyond.checkpoint.size, place: beyond.place }));
    } else {
      const size = checkpoint === undefined ? 'there is no checkpoint that the tree reaches' : `checkpoint of ${checkpoint.size} events`;
      output.line(`${counts.get('proved') ?? 0} proved, ${counts.get('not-covered') ?? 0} not yet; ${size}`);
      if (beyond !== undefined) output.line(output.paint('bad', beyondLine(beyond, origin)));
      for (const { place, problem } of proofs.unread)
        output.line(output.paint('waiting', `not read: ${printable(place)}: ${printable(problem)}`));
      output.line('An event that was taken out of the log is found by the whole verification: orch log verify');
      if (key === undefined) output.line(output.paint('waiting', NO_KEY_LINE));
    }
    return counts.has('event-differs') || counts.has('no-leaf') || beyond !== undefined ? EXIT.failed : 0;
  });

const beyondLine = ({ checkpoint: { origin, size }, place }: FoundCheckpoint, own: string): string =>
  origin === own
    ? `NOT shown: a checkpoint of ${size} events is at ${printable(place)}, and the tree does not reach so far: it was taken away, or is built again just now`
    : `NOT shown: a checkpoint of ${size} events is at ${printable(place)} under another name, ${printable(origin)}: the name of this log was taken away`;

const stateOf = (made: MadeProof): EventState => (made.kind === 'proof' ? 'proved' : made.kind);

const named = ({ stream, revision, type, id, position }: StoredEvent): object => ({
  stream,
  revision: Number(revision),
  type,
  id,
  position,
});

const eventLine = ({ stream, revision, type }: StoredEvent, state: EventState, { paint }: Output): string => {
  const tone = state === 'proved' ? 'good' : state === 'not-covered' ? 'waiting' : 'bad';
  return `${stream} ${revision} ${type}: ${paint(tone, STATES[state])}`;
};
