import type { ReadModel } from '@app/read-models';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { openWorkSeenBy } from '../stores';
import type { World } from '../world';
import type { Report } from './report';

/** A process that still reads replaced tables would see outdated open work for ever. */
export const checkReaders = async ({ processes, time }: World, report: Report): Promise<void> => {
  for (const [at, { parts }] of processes.entries())
    for (const work of await openWorkSeenBy(parts.made<ReadModel>(READ_MODEL), time))
      report('each process reads the read models that serve', `process ${at}`, work);
};
