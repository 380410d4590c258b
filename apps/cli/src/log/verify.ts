import {
  findingText,
  type LogFinding,
  type PlaceCount,
  type VerifyLogReport,
  EventProofs,
  isCheckpointOf,
  verifyLog,
  type FoundCheckpoint,
  type ProofResult,
  type SignedCheckpoint,
  type VerifyKey,
} from '@app/investigation';
import type { OrchestratorEnvironment } from '@app/configuration';
import type { StoredEvent } from '@app/event-store';
import { asJson, type Output, printable, CommandFailed, EXIT, withProgress, StopRequest, counted, writeResult } from '../terminal';
import { KNOWN_CATEGORIES, withLog, withOrders, readEventLog, ownEnvironment } from '../stores';
import { namedOrders, type NameOptions } from '../orders/order-name';
import { orderStreams } from '../orders/story';
import { openCheckpointStores, orTileFailed, readCheckpointFile, verifyKey } from './keys-and-checkpoints';

export interface VerifyOutcome {
  readonly report: VerifyLogReport;
  readonly isKeyGiven: boolean;
  readonly seconds: number;
}

const FINDINGS_SHOWN_MAX = 20;

/** Printed last, so that readers of only the end see it. */
export const NO_KEY_LINE =
  'NO KEY was given: no signature was checked, so that whoever changes the log can have made the checkpoints too (--key, LOG_VERIFY_KEY)';

/** Findings about checkpoint folders and tree files: the log itself may be unchanged, but this is not proved. */
const NOT_OF_LOG: ReadonlySet<LogFinding['kind']> = new Set(['none-verified', 'not-signed', 'place-behind', 'other-log', 'tree-damaged']);

const headline = ({ report, isKeyGiven }: VerifyOutcome, { paint }: Output): string => {
  const { findings, checkpoints, isComplete, events, treeSize } = report;
  if (!isComplete) return 'stopped before all was verified';
  if (findings.length > 0) {
    const isOfTree = findings.every(({ kind }) => kind === 'tree-damaged');
    const isOfLog = findings.some(({ kind }) => !NOT_OF_LOG.has(kind));
    const what = isOfTree ? 'its tree is NOT' : isOfLog ? 'NOT' : 'NOT shown to be';
    return paint('bad', `${what} as it was written: ${counted(findings.length, 'finding')}`);
  }
  if (checkpoints.verified === 0 && treeSize === 0 && events > 0)
    return paint('waiting', 'nothing to compare with: there is no tree and no checkpoint');
  const unchecked = isKeyGiven || checkpoints.verified === 0 ? '' : ', whose signatures were not checked';
  return paint('good', `sound: the log fits its tree and ${counted(checkpoints.verified, 'checkpoint')}${unchecked}`);
};

const coverLine = ({ report, isKeyGiven }: VerifyOutcome, { paint }: Output): string => {
  const { checkpoints, events } = report;
  const { newest, verified, largest } = checkpoints;
  if (newest === undefined && verified > 0)
    return paint(
      'bad',
      `The log fits none of the ${counted(verified, 'checkpoint')} that were found; the largest is of ${counted(largest, 'event')}.`,
    );
  if (newest === undefined) {
    const isTreeKept = report.treeSize > 0 && !report.findings.some(({ kind }) => !NOT_OF_LOG.has(kind));
    const shown = isTreeKept
      ? 'what is shown is that the log fits its tree, which whoever changes the log can change too'
      : 'nothing is shown';
    return paint('waiting', `No checkpoint of this log was found: ${shown}.`);
  }
  const made = newest.madeAt === undefined ? '' : `, made ${newest.madeAt}`;
  const signature = isKeyGiven ? 'signed' : 'its signature was not checked';
  const parts: string[] = [];
  if (largest > newest.size) parts.push(`there are larger ones, up to ${counted(largest, 'event')}, that the log does not fit`);
  const behind = events - Math.max(newest.size, largest);
  if (behind > 0) parts.push(`the newest ${counted(behind, 'event')} ${behind === 1 ? 'is' : 'are'} under none yet`);
  const rest = parts.length === 0 ? 'none is newer' : parts.join('; ');
  return `Newest checkpoint that fits: ${counted(newest.size, 'event')}${made} (${signature}); ${rest}.`;
};

const placeLine = ({ place, checkpoints, ofOtherLogs }: PlaceCount, { paint }: Output): string => {
  const others = ofOtherLogs === 0 ? '' : `, and ${counted(ofOtherLogs, 'checkpoint')} of other names`;
  const line = `${checkpoints === 0 ? 'No checkpoint' : counted(checkpoints, 'checkpoint')} at ${printable(place)}${others}`;
  return checkpoints === 0 ? paint('waiting', line) : line;
};

const asData = ({ report, isKeyGiven, seconds }: VerifyOutcome): object => ({
  isSound: report.isComplete && report.findings.length === 0,
  isSigned: isKeyGiven && report.checkpoints.newest !== undefined,
  ...report,
  findings: report.findings.map((finding) => ({ ...finding, text: findingText(finding) })),
  seconds: Number(seconds.toFixed(3)),
});

const unreadLine = (place: string, problem: string, { paint }: Output): string =>
  paint('waiting', `not read: ${printable(place)}: ${printable(problem)}`);

export const showVerification = (outcome: VerifyOutcome, output: Output): void => {
  const { report, seconds } = outcome;
  const { findings, checkpoints, unreachable, isComplete } = report;
  const { paint } = output;
  const rate = Math.round(report.read / Math.max(seconds, 0.001));
  writeResult(output, asData(outcome), () => [
    `${counted(report.read, 'event')} read in ${seconds.toFixed(1)} s (${rate} events/s); ${counted(report.events, 'event')} in the log, ${report.treeSize} in its tree`,
    ...(report.leftOut > 0 ? [`${counted(report.leftOut, 'event')} of other services left out`] : []),
    headline(outcome, output),
    ...findings.slice(0, FINDINGS_SHOWN_MAX).map((finding) => `  ${printable(findingText(finding))}`),
    ...(findings.length > FINDINGS_SHOWN_MAX ? [`  and ${findings.length - FINDINGS_SHOWN_MAX} more; --json names them`] : []),
    ...(isComplete ? [coverLine(outcome, output)] : []),
    ...checkpoints.places
      .filter(({ place }) => isComplete && !unreachable.some((one) => one.place === place))
      .map((place) => placeLine(place, output)),
    ...unreachable.map(({ place, problem }) => unreadLine(place, problem, output)),
    ...(outcome.isKeyGiven ? [] : [paint('waiting', NO_KEY_LINE)]),
  ]);
};

export interface VerifyOptions extends NameOptions {
  readonly key?: string;
  readonly since?: string;
}

/**
 * `orch log verify [order]`: compares the stored log with its tree and every signed checkpoint; works during or without a running service.
 * Exit code: 0 if all match, 1 if not, 130 if stopped. @throws CommandFailed
 */
export const verify = async (order: string | undefined, options: VerifyOptions, output: Output): Promise<number> => {
  const environment = ownEnvironment();
  const key = verifyKey(options.key, environment);
  if (order === undefined && options.merchant !== undefined) throw new CommandFailed('--merchant needs an order', EXIT.usage);
  if (order !== undefined && options.since !== undefined) throw new CommandFailed('--since cannot be used with an order', EXIT.usage);
  return orTileFailed(environment, () =>
    order === undefined ? verifyWhole(environment, key, options.since, output) : verifyOrder(order, options, key, output),
  );
};

/** @throws CommandFailed if the key did not sign it */
const sinceOf = (path: string, key: VerifyKey | undefined, origin: string): SignedCheckpoint => {
  const checkpoint = readCheckpointFile(path);
  if (key === undefined)
    throw new CommandFailed('--since needs the key that signed the checkpoint. Give --key, or set LOG_VERIFY_KEY', EXIT.usage);
  if (!isCheckpointOf(checkpoint, key)) throw new CommandFailed(`${path}: the key did not sign it`);
  if (checkpoint.origin !== origin) throw new CommandFailed(`${path}: a checkpoint of another log, ${checkpoint.origin}`);
  return checkpoint;
};

const verifyWhole = (
  environment: OrchestratorEnvironment,
  key: VerifyKey | undefined,
  since: string | undefined,
  output: Output,
): Promise<number> => {
  const stop = new StopRequest();
  return withLog(readEventLog(environment.eventStore), async (log) => {
    const { files, places, origin } = await openCheckpointStores(environment);
    const startedAt = performance.now();
    const report = await withProgress(output, (display) =>
      verifyLog({
        log,
        files,
        places,
        key,
        origin,
        knownCategories: KNOWN_CATEGORIES,
        hasEveryPosition: environment.eventStore.kind === 'file',
        isStopRequested: () => stop.isRequested,
        onProgress: (events) => display.update(() => `verifying: ${events} events`),
        ...(since !== undefined && { since: sinceOf(since, key, origin) }),
      }),
    );
    showVerification({ report, isKeyGiven: key !== undefined, seconds: (performance.now() - startedAt) / 1_000 }, output);
    if (!report.isComplete) return EXIT.interrupted;
    return report.findings.length === 0 ? 0 : EXIT.failed;
  });
};

type EventState = Exclude<ProofResult['kind'], 'proof'> | 'proved';

const STATES: Readonly<Record<EventState, string>> = {
  proved: 'as it was written, under the checkpoint',
  'not-covered': 'under no checkpoint yet',
  'event-differs': 'NOT the event that was written there',
  'no-leaf': 'NOT in the tree: it has no hash chain',
};

const verifyOrder = (name: string, options: VerifyOptions, key: VerifyKey | undefined, output: Output): Promise<number> =>
  withOrders(options.merchant, async (verb) => {
    const { environment, readers } = verb;
    const { files, places, origin } = await openCheckpointStores(environment);
    const proofs = await EventProofs.open({ log: readers.log, files, places, key, origin });
    const counts = new Map<EventState, number>();
    for (const order of await namedOrders(verb, name, options, output)) {
      for (const stream of (await orderStreams(readers, order)).streams) {
        for await (const event of readers.log.read(stream)) {
          const state = stateOf(await proofs.of(event));
          counts.set(state, (counts.get(state) ?? 0) + 1);
          writeResult(output, { ...named(event), state }, () => eventLine(event, state, output));
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
      for (const { place, problem } of proofs.unread) output.line(unreadLine(place, problem, output));
      output.line('Only the verification of the whole log finds removed events: orch log verify');
      if (key === undefined) output.line(output.paint('waiting', NO_KEY_LINE));
    }
    return counts.has('event-differs') || counts.has('no-leaf') || beyond !== undefined ? EXIT.failed : 0;
  });

const beyondLine = ({ checkpoint: { origin, size }, place }: FoundCheckpoint, own: string): string =>
  origin === own
    ? `NOT shown: a checkpoint of ${size} events is at ${printable(place)}, and the tree does not reach so far: it was taken away, or is built again just now`
    : `NOT shown: a checkpoint of ${size} events is at ${printable(place)} under another name, ${printable(origin)}: the name of this log was taken away`;

const stateOf = (made: ProofResult): EventState => (made.kind === 'proof' ? 'proved' : made.kind);

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
