import { readTreeState } from '../building/tree-state';
import type { ProofFiles } from '../files/proof-files';
import { rootAt } from '../merkle';
import type { TileReader } from '../tiles/tile-reader';
import type { CheckpointMeetings } from './checkpoint-meetings';
import type { FoundCheckpoint, KnownCheckpoints } from './known-checkpoints';
import type { EventPlace, Evidence, LogFinding } from './log-finding';
import { orDamaged } from './or-damaged';
import type { TreeComparison } from './tree-comparison';

/** A log that was read to its end, beside what it was compared with. */
export interface ReadLog {
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
export const conclusionsOf = async (read: ReadLog): Promise<readonly LogFinding[]> => {
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
    good: meetings.goodEnd === undefined ? 0 : meetings.goodEnd.index + 1,
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
