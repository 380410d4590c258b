import { TileReader } from '../tiles/tile-reader';
import { CheckpointMeetings } from './checkpoint-meetings';
import { KnownCheckpoints, type OtherLog } from './known-checkpoints';
import type { LogFinding } from './log-finding';
import { LogReading } from './log-reading';
import { TreeComparison } from './tree-comparison';
import type { VerifyLogSettings } from './verify-log-settings';

/** Each takes one more reading of the log. */
const OTHER_LOGS_READ_MAX = 2;

export interface ComparedLogs {
  readonly findings: readonly LogFinding[];
  readonly isComplete: boolean;
}

/**
 * What the checkpoints of other names say of this log: whoever takes the name of a log away leaves those of it, and a leaf is the same under any name.
 * @throws StoreUnavailable
 */
export const comparedWithOthers = async (others: readonly OtherLog[], settings: VerifyLogSettings): Promise<ComparedLogs> => {
  const findings: LogFinding[] = [];
  for (const { origin } of others.slice(0, OTHER_LOGS_READ_MAX)) {
    const known = await KnownCheckpoints.open({ ...settings, origin, onUnreachable: () => undefined });
    // Nothing of the tree in the files is of that log.
    const tiles = new TileReader(settings.files, 0);
    const comparison = new TreeComparison(tiles);
    const meetings = new CheckpointMeetings(known, tiles, comparison.differences);
    const reading = new LogReading({ ...settings, tiles, comparison, meetings });
    if (!(await reading.run())) return { findings, isComplete: false };
    const { newest, firstBad } = meetings;
    if (firstBad !== undefined)
      findings.push({
        kind: 'changed-between',
        good: newest?.size ?? 0,
        bad: firstBad.checkpoint.size,
        place: firstBad.place,
        of: origin,
        from: meetings.firstBehindGood,
        to: meetings.badEnd,
      });
    const ahead = await known.last();
    const last = ahead.length === 0 ? undefined : reading.lastPlace;
    for (const { checkpoint, place } of ahead)
      findings.push({ kind: 'log-shorter', events: reading.events, expected: checkpoint.size, place, of: origin, last });
  }
  return { findings, isComplete: true };
};
