import type { Position } from '@app/event-store';
import { isDataFault, isMissingTable } from '../faults';
import type { Projection } from '../projection';
import { GenerationWriter } from './generation-writer';
import { LogFold } from './log-fold';
import { beginGenerations, RebuildOvertaken, takeOver } from './new-generations';
import type { RebuildContext } from './rebuild-context';

/** The result of a rebuild. */
export interface Rebuilt {
  readonly projections: readonly string[];
  /** Count of events read from the projections' categories. */
  readonly events: number;
  readonly parkedStreams: number;
  readonly position: Position;
}

/** Maximum of catch-ups; more than one is needed only where another process projects at the same time. */
const CATCH_UPS_MAX = 50;

/**
 * Builds new generations of the projections from the start of the log while the old ones serve, and switches to them in one transaction
 * (architecture, rule 15; safety, 2.2). If the process ends meanwhile, the old ones continue to serve and the next rebuild drops the remains.
 * @throws RebuildOvertaken where another rebuild began meanwhile
 */
export const buildGenerations = async (context: RebuildContext, projections: readonly Projection[]): Promise<Rebuilt> => {
  try {
    return await buildLoaded(context, projections);
  } catch (error) {
    throw isMissingTable(error) ? new RebuildOvertaken(error) : error;
  }
};

const buildLoaded = async (context: RebuildContext, projections: readonly Projection[]): Promise<Rebuilt> => {
  try {
    return await buildOnce(context, projections, 'loaded');
  } catch (error) {
    if (!isDataFault(error)) throw error;
    // Two rows violate a unique index. With the indexes in place from the start, the stream of the later row is parked.
    return buildOnce(context, projections, 'empty');
  }
};

const buildOnce = async (context: RebuildContext, projections: readonly Projection[], indexWhile: 'empty' | 'loaded'): Promise<Rebuilt> => {
  const buildings = await beginGenerations(context, projections);
  const writer = new GenerationWriter(context, buildings);
  const fold = new LogFold(context, new Set(projections.flatMap(({ categories }) => categories)), writer);
  try {
    if (indexWhile === 'empty') await writer.createIndexes();
    // A second thread may write only while no index can refuse a row, because its errors fail the whole rebuild.
    await fold.catchUp(indexWhile === 'loaded' ? 'beside' : 'here');
    if (indexWhile === 'loaded') await writer.createIndexes();
    await writer.analyze();
    for (let round = 0; round < CATCH_UPS_MAX; round++) {
      // Holding the mutex keeps this process from projecting, so that the new generations can reach the old ones.
      const isServing = await context.mutex.take(async () => {
        await fold.catchUp('here');
        return takeOver(context, buildings, fold.reached);
      });
      if (!isServing) continue;
      return {
        projections: buildings.map(({ projection }) => projection.name),
        events: fold.events,
        parkedStreams: buildings.reduce((sum, { parked }) => sum + parked.size, 0),
        position: fold.reached,
      };
    }
  } finally {
    await writer.close();
  }
  throw new Error(`the new read models did not come level with the old ones in ${CATCH_UPS_MAX} rounds`);
};
