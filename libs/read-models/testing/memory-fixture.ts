import { MemoryDisk } from './memory-database';
import type { ReadModelFixture } from './read-model.contract';

export const memoryFixture = async (): Promise<ReadModelFixture> => {
  const disk = await MemoryDisk.create();
  return { open: () => Promise.resolve(disk.open()), stall: () => disk.stall(), remove: () => Promise.resolve(disk.remove()) };
};
