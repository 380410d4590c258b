import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { diskSpaceOf, watchDisk } from './live-figures';

const figuresOf = async (folder: string): Promise<ReadonlyMap<string, number>> => {
  const registry = new Registry();
  watchDisk(registry, () => diskSpaceOf(folder));
  const printed = (await registry.metrics()).split('\n').filter((line) => line.startsWith('orchestrator_'));
  return new Map(printed.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]));
};

it('reports the free space and the size of the volume of a folder', async () => {
  const figures = await figuresOf(tmpdir());
  const [free = -1, size = -1] = ['free_bytes', 'size_bytes'].map((name) => figures.get(`orchestrator_data_dir_${name}`));
  expect(free).toBeGreaterThan(0);
  expect(size).toBeGreaterThanOrEqual(free);
});

it('reports nothing for a folder that does not exist', async () => {
  expect(await figuresOf(join(tmpdir(), 'no such folder'))).toStrictEqual(new Map());
});
