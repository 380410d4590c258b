import type { Position } from '@app/event-store';
import { pagesOf } from '../../projection-contents';
import { isDataFault, isMissingTable } from '../faults';
import type { Projection } from '../projection';
import { GenerationWriter } from './generation-writer';
import { LogFold } from './log-fold';
import { beginGenerations, RebuildRefused, takeOver, type Replaced } from './new-generations';
import type { Building, RebuildContext } from './rebuild-context';

/** The result of a rebuild. */
export interface Rebuilt {
  readonly projections: readonly RebuiltProjection[];
  /** Count of events read from the projections' categories. */
  readonly events: number;
  readonly parkedStreams: number;
  readonly position: Position;
}

interface RebuiltProjection {
  readonly projection: string;
  readonly generation: number;
  /** Count of rows that were verified. */
  readonly rows: number;
}

/** Maximum of catch-ups; more than one is needed only where a process projects at the same time. */
const CATCH_UPS_MAX = 50;

/**
 * Builds new generations of the projections from the start of the log while the old ones serve, verifies them, switches to them and drops the old ones in one
 * transaction (architecture, rule 15; safety, 2.2). If the process ends meanwhile, the old ones continue to serve and the next rebuild drops the remains.
 * @throws RebuildRefused where another rebuild began meanwhile, or a shape is not one that may be replaced
 */
export const buildGenerations = async (
  context: RebuildContext,
  projections: readonly Projection[],
  replaced: Replaced,
): Promise<Rebuilt> => {
  try {
    return await buildLoaded(context, projections, replaced);
  } catch (error) {
    throw isMissingTable(error) ? new RebuildRefused('another rebuild began meanwhile', { cause: error }) : error;
  }
};

const buildLoaded = async (context: RebuildContext, projections: readonly Projection[], replaced: Replaced): Promise<Rebuilt> => {
  try {
    return await buildOnce(context, await beginGenerations(context, projections, replaced), 'loaded');
  } catch (error) {
    if (!isDataFault(error)) throw error;
    // Two rows violate a unique index. With the indexes in place from the start, the stream of the later row is parked.
    return buildOnce(context, await beginGenerations(context, projections, replaced), 'empty');
  }
};

const buildOnce = async (context: RebuildContext, buildings: readonly Building[], indexWhile: 'empty' | 'loaded'): Promise<Rebuilt> => {
  const writer = new GenerationWriter(context, buildings);
  const fold = new LogFold(context, new Set(buildings.flatMap(({ projection }) => projection.categories)), writer);
  try {
    if (indexWhile === 'empty') await writer.createIndexes();
    // Rows are written beside only while no index can refuse a row, because errors there fail the whole rebuild.
    await fold.catchUp(indexWhile === 'loaded' ? 'beside' : 'here');
    if (indexWhile === 'loaded') await writer.createIndexes();
    await writer.analyze();
    const verified: RebuiltProjection[] = [];
    for (const building of buildings) verified.push(await verify(context, building));
    for (let round = 0; round < CATCH_UPS_MAX; round++) {
      await fold.catchUp('here');
      if (!(await takeOver(context, buildings, fold.reached))) continue;
      return {
        projections: verified,
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

/** Reads every row back from the database. @throws Error at one that is not what was written */
const verify = async ({ database }: RebuildContext, { projection: { name }, generation, table }: Building): Promise<RebuiltProjection> => {
  let rows = 0;
  for await (const page of pagesOf(database.reads, table)) {
    const corrupt = page.find((row) => !table.isIntact(row));
    if (corrupt !== undefined)
      throw new Error(`${name}: the new row of ${String(corrupt[table.key])} does not fit its checksum; the old rows still serve`);
    rows += page.length;
  }
  return { projection: name, generation, rows };
};
