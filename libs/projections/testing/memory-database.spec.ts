import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { lockFence } from '../engine/projection-registry';
import type { ReadModelDatabase } from '../engine/database/database';
import { MemoryDisk } from './memory-database';
import { readModelContract } from './read-model.contract';

readModelContract(
  'memory',
  async () => {
    const disk = await MemoryDisk.create();
    return { open: () => Promise.resolve(disk.open()), stall: () => disk.stall(), remove: () => Promise.resolve(disk.remove()) };
  },
  () => new MemoryEventStore(new VirtualClock()),
);
