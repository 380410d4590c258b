import { isCheckpointOf, type SignedCheckpoint, timeOf } from './checkpoint';
import type { CheckpointPlace } from './checkpoint-places';
import type { VerifyKey } from './keys';
import { CheckpointMeetings, type FoundCheckpoint, KnownCheckpoints } from './known-checkpoints';
import { LogReading, type LogReadingSettings, TreeComparison } from './log-reading';
import { readTreeState } from './log-tree';
import { rootAt } from './merkle';
import type { ProofFiles } from './proof-files';
import { orDamaged, TileReader } from './tiles';
import type { EventPlace, Evidence, LogFinding, VerifyLogReport } from './verify-report';

/** A place that lacks what was signed this long before the newest checkpoint was emptied, or was away for so long. */
const BEHIND_MS_MIN = 300_000;

type IsOwn = (checkpoint: SignedCheckpoint) => boolean;

/** Asked last, of what the places hold by then: a service that runs adds to them one after the other. */
const placesBehind = async (places: readonly CheckpointPlace[], isOwn: IsOwn): Promise<readonly LogFinding[]> => {
  const sizes: number[] = [];
  let best: { readonly place: CheckpointPlace; readonly newest: SignedCheckpoint } | undefined;
  for (const place of places) {
    const newest = await orUnread(() => place.newest(isOwn));
    sizes.push(newest?.size ?? 0);
    if (newest !== undefined && newest.size > (best?.newest.size ?? -1)) best = { place, newest };
  }
  if (best === undefined) return [];
  const findings: LogFinding[] = [];
  for (const [at, { name }] of places.entries()) {
    const lacking = await firstBehind(best.place, sizes[at] ?? 0, isOwn);
    const [since, until] = [lacking && timeOf(lacking), timeOf(best.newest)];
    if (lacking === undefined || since === undefined || until === undefined) continue;
    if (Date.parse(until) - Date.parse(since) >= BEHIND_MS_MIN)
      findings.push({ kind: 'place-behind', place: name, size: lacking.size, since, ahead: best.place.name });
  }
  return findings;
};

const firstBehind = async (place: CheckpointPlace, size: number, isOwn: IsOwn): Promise<SignedCheckpoint | undefined> =>
  orUnread(async () => {
    for await (const one of place.all()) if (!('unreadable' in one) && one.size > size && isOwn(one)) return one;
    return undefined;
  });

/** That a place cannot be read is told already. */
const orUnread = async <Read>(read: () => Promise<Read>): Promise<Read | undefined> => {
  try {
    return await read();
  } catch {
    return undefined;
  }
};

/** A log that was read to its end, beside what it was compared with. */
interface ReadLog {
  readonly files: ProofFiles;
  readonly tiles: TileReader;
  readonly known: KnownCheckpoints;
  readonly comparison: TreeComparison;
  readonly meetings: CheckpointMeetings;
  /** In the tree as it is made of the log now. */
  readonly events: number;
  /** Of the last event. */
  readonly lastPlace: EventPlace | undefined;
  /** Whether signatures were checked. */
  readonly isKeyKnown: boolean;
}

/** What can be said of a log only when all of it was read. */
const conclusionsOf = async (read: ReadLog): Promise<readonly LogFinding[]> => {
  const { known } = read;
  const ahead = await known.last();
  const findings = [...(await differencesOf(read, ahead[0])), ...(await endOf(read, ahead))];
  for (const { origin, size, place } of known.otherLogs) findings.push({ kind: 'other-log', origin, size, place });
  if (known.verified === 0 && known.ignored.size > 0 && read.isKeyKnown)
    findings.push({ kind: 'none-verified', places: [...known.ignored.keys()] });
  else for (const [place, notes] of known.ignored) findings.push({ kind: 'not-signed', place, notes });
  return findings;
};

/** @param ahead a checkpoint that the log does not reach: with an event missing, no other may be there */
const differencesOf = async (
  { comparison: { differences, damage }, meetings, tiles }: ReadLog,
  ahead: FoundCheckpoint | undefined,
): Promise<readonly LogFinding[]> => {
  const findings: LogFinding[] = [];
  const good = meetings.newest?.size ?? 0;
  const bad = meetings.firstBad;
  const candidates = [bad, ...meetings.badBehind, ahead].filter((one) => one !== undefined);
  // Under a checkpoint that the log fits, the log is what was signed: it is the tree's file that changed.
  const ofLog = differences.filter(({ at }) => at.index >= good);
  const [inTree] = differences.filter(({ at }) => at.index < good);
  if (inTree !== undefined) findings.push({ kind: 'tree-damaged', what: `its leaf ${inTree.at.index} is another one` });
  else if (damage !== undefined) findings.push({ kind: 'tree-damaged', what: damage });
  const signers: FoundCheckpoint[] = [];
  for (const one of candidates) {
    const { size, root } = one.checkpoint;
    if (size > tiles.treeSize) continue;
    if ((await orDamaged(async () => (await rootAt(tiles, size)).equals(root))) === true) signers.push(one);
  }
  const evidenceOf = ({ index }: EventPlace): Evidence => {
    const signer = signers.find(({ checkpoint }) => index < checkpoint.size);
    if (signer !== undefined) return { kind: 'signed', size: signer.checkpoint.size, place: signer.place };
    return { kind: 'tree', isReached: candidates.some(({ checkpoint }) => index < checkpoint.size) };
  };
  for (const { at, difference } of ofLog) findings.push({ kind: 'event-differs', at, difference, evidence: evidenceOf(at) });
  const isShown = ofLog.some(({ at }) => bad !== undefined && signers.includes(bad) && at.index < bad.checkpoint.size);
  if (bad === undefined || isShown) return findings;
  findings.push({
    kind: 'changed-between',
    good,
    bad: bad.checkpoint.size,
    place: bad.place,
    from: meetings.firstBehindGood,
    to: meetings.badEnd,
  });
  return findings;
};

const endOf = async (
  { comparison, events, files, lastPlace, meetings, tiles }: ReadLog,
  ahead: readonly FoundCheckpoint[],
): Promise<readonly LogFinding[]> => {
  const last = ahead.length > 0 || events < tiles.treeSize ? lastPlace : undefined;
  if (ahead.length > 0)
    return ahead.map(({ checkpoint, place }) => ({ kind: 'log-shorter', events, expected: checkpoint.size, place, last }));
  if (events < tiles.treeSize) return [{ kind: 'log-shorter', events, expected: tiles.treeSize, place: undefined, last }];
  if (comparison.damage !== undefined || comparison.differences.length > 0) return [];
  // The leaves fit, so that what does not is above them.
  const root = await orDamaged(() => rootAt(tiles, tiles.treeSize));
  const state = await readTreeState(files);
  // Read again: a service that runs has flushed its tree before it signed what was met since.
  const { newest } = meetings;
  if (newest !== undefined && newest.size > Math.max(tiles.treeSize, state?.size ?? 0))
    return [{ kind: 'tree-damaged', what: `it has ${tiles.treeSize} events, and the checkpoint at ${newest.place} ${newest.size}` }];
  const isWhole = root !== undefined && (state?.size !== tiles.treeSize || root.equals(state.root));
  return isWhole ? [] : [{ kind: 'tree-damaged', what: 'its tiles do not have its root' }];
};

export interface VerifyLogSettings extends Omit<LogReadingSettings, 'tiles' | 'comparison' | 'meetings'> {
  readonly places: readonly CheckpointPlace[];
  /** Undefined: signatures are not checked, and checkpoints are only compared. */
  readonly key: VerifyKey | undefined;
  readonly origin: string;
}

/**
 * Reads the whole log, or what is behind a checkpoint, makes its tree again and compares it with the tree in its files and with every checkpoint that it
 * finds. It holds few tiles and the newest checkpoints in memory, whatever the size of the log. @throws StoreUnavailable
 */
export const verifyLog = async (settings: VerifyLogSettings): Promise<VerifyLogReport> => {
  const { files, places, key, origin } = settings;
  const state = await readTreeState(files);
  const tiles = new TileReader(files, state?.size ?? 0);
  const comparison = new TreeComparison(tiles);
  if (state === undefined) comparison.damage = 'its state cannot be read';
  const unreachable: { place: string; problem: string }[] = [];
  const known = await KnownCheckpoints.open({
    places,
    key,
    origin,
    onUnreachable: (place, error) => unreachable.push({ place, problem: error instanceof Error ? error.message : String(error) }),
  });
  const meetings = new CheckpointMeetings(known, tiles, comparison.differences);
  const reading = new LogReading({ ...settings, tiles, comparison, meetings });
  const isRead = await reading.run();
  const { events, read, leftOut, root, lastPlace } = reading;
  const whole = { files, tiles, known, comparison, meetings, events, lastPlace, isKeyKnown: key !== undefined };
  const conclusions = isRead ? await conclusionsOf(whole) : [];
  const isOwn = (one: SignedCheckpoint): boolean => one.origin === origin && (key === undefined || isCheckpointOf(one, key));
  const behind = isRead ? await placesBehind(places, isOwn) : [];
  return {
    isComplete: isRead,
    events,
    read,
    leftOut,
    treeSize: tiles.treeSize,
    root: root.toString('base64'),
    checkpoints: {
      verified: known.verified,
      ignored: [...known.ignored.values()].reduce((sum, count) => sum + count, 0),
      newest: meetings.newest,
      largest: known.largest,
      places: known.counts,
    },
    findings: [...reading.withoutChain, ...meetings.findings, ...conclusions, ...behind, ...reading.gaps],
    unreachable,
  };
};
