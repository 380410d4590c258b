import { readTreeState } from '../building/tree-state';
import { isCheckpointOf, type SignedCheckpoint } from '../checkpoints/checkpoint';
import { TileReader } from '../tiles/tile-reader';
import { CheckpointMeetings } from './checkpoint-meetings';
import { conclusionsOf } from './conclusions';
import { KnownCheckpoints } from './known-checkpoints';
import { LogReading } from './log-reading';
import { placesBehind } from './places-behind';
import { TreeComparison } from './tree-comparison';
import type { VerifyLogSettings } from './verify-log-settings';
import type { VerifyLogReport } from './verify-report';

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
