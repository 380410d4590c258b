import { BrokenChain, StoreDamaged, StoreUnavailable } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { parentPort, workerData } from 'node:worker_threads';
import type { LeafRun } from '../verifying/leaf-runs';
import { leafRunOf } from './leaf-run';
import type { FromLeafRuns, LeafRunsData, ToLeafRuns } from './leaf-runs.messages';

if (parentPort === null) throw new Error('this is a thread of a program');
const port = parentPort;
const log = EmbeddedEventStore.openRuns((workerData as LeafRunsData).path);

const hashed = ({ after, to, tiles }: Exclude<ToLeafRuns, 'close'>): LeafRun | undefined => {
  try {
    return leafRunOf(log.between(after, to), tiles);
  } catch (error) {
    // Whoever reads it event by event meets it again, and says where it is.
    if (error instanceof BrokenChain || error instanceof StoreDamaged || error instanceof StoreUnavailable) return undefined;
    throw error;
  }
};

port.on('message', (message: ToLeafRuns) => {
  if (message === 'close') {
    void log.close();
    port.close();
    return;
  }
  const run = hashed(message);
  if (run === undefined) port.postMessage({ kind: 'irregular' } satisfies FromLeafRuns);
  else port.postMessage({ kind: 'hashed', ...run } satisfies FromLeafRuns, [run.leaves.buffer, run.roots.buffer] as ArrayBuffer[]);
});
