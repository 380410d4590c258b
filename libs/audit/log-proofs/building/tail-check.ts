import { hasLeaf, leafText } from './log-leaf';
import type { LogTree } from './log-tree';
import { eventsAfter, type ReadableLog } from './read-log';
import type { TreeFault } from './tree-fault';
import type { ProofFiles } from '../files/proof-files';
import { leafHash } from '../merkle';
import { EventPositions } from '../tiles/event-positions';
import { TILE_WIDTH } from '../tiles/tile-path';
import { hashAt } from '../tiles/tile-reader';

/**
 * Compares the newest events of the tree with the log, at most a tile of them, before the tree goes on: a log that was cut off or rolled back since would
 * get other events in their places. @throws TileDamaged, StoreUnavailable
 */
export const tailFault = async (tree: LogTree, log: ReadableLog, files: ProofFiles): Promise<TreeFault | undefined> => {
  const { size } = tree.flushed;
  if (size === 0) return undefined;
  const number = Math.floor((size - 1) / TILE_WIDTH);
  const tile = await tree.reader().tile(0, number);
  let index = number * TILE_WIDTH;
  for await (const event of eventsAfter(log, await new EventPositions(files).before(number))) {
    if (!hasLeaf(event)) continue;
    if (!leafHash(leafText(event)).equals(hashAt(tile, index % TILE_WIDTH))) {
      const { position, stream, revision } = event;
      return { kind: 'event-differs', index, position, stream, revision: Number(revision) };
    }
    index += 1;
    if (index === size) return undefined;
  }
  return { kind: 'log-shorter', treeSize: size };
};
