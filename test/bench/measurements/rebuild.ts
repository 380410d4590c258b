import { join } from 'node:path';
import { ratioOf, ROUNDS, scaled, type Findings } from '../harness/figure';
import { askOnce } from '../harness/program';
import { inWorkFolder } from '../harness/work-folder';
import { fillLog } from '../load/filled-log';
import type { Rebuild } from '../programs/rebuild.program';

const EVENTS = scaled(200_000);
const TIMEOUT_MS = 300_000;

export const rebuild = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const dataDir = folder.folder('filled');
    await fillLog(dataDir, EVENTS);
    const read: number[] = [];
    const rebuilt: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      read.push(await askOnce<Rebuild, number>('rebuild', { dataDir }, TIMEOUT_MS));
      const path = join(folder.path, `read-model-${round}.sqlite`);
      rebuilt.push(await askOnce<Rebuild, number>('rebuild', { dataDir, path }, TIMEOUT_MS));
    }
    return {
      figures: [
        { name: 'events read and parsed, nothing else', unit: '/s', rounds: read },
        { name: 'events rebuilt into all read models', unit: '/s', rounds: rebuilt },
        ratioOf('rebuild against reading and parsing', rebuilt, read, { kind: 'at-least', asked: 0.7, goal: 0.9 }),
      ],
    };
  });
