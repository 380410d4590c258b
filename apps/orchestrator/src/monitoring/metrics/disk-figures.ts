import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

/** The volume of a folder; undefined where the folder cannot be asked about. */
export const diskSpaceOf = async (folder: string): Promise<DiskSpace | undefined> => {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch {
    return undefined;
  }
};

/** Room on the volume of `DATA_DIR`. @param read at each scrape */
export const watchDisk = (registry: Registry, read: () => Promise<DiskSpace | undefined>): void => {
  const gauge = (name: string, help: string, figure: (space: DiskSpace) => number): void => {
    new Gauge({
      name: `orchestrator_data_dir_${name}`,
      help,
      registers: [registry],
      async collect() {
        const space = await read();
        if (space === undefined) this.remove();
        else this.set(figure(space));
      },
    });
  };
  gauge('free_bytes', 'Free space on the volume of DATA_DIR', ({ freeBytes }) => freeBytes);
  gauge('size_bytes', 'Size of the volume of DATA_DIR', ({ sizeBytes }) => sizeBytes);
};
