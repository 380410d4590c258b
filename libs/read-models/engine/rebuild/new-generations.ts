import type { Position, StreamName } from '@app/event-store';
import type { Clock } from '@app/kernel';
import { type LogTruth, rowSource } from '../project-from-log';
import type { ReadModelDatabase } from '../database/database';
import type { Failure } from '../faults';
import type { EventLog } from '../log-event';
import type { Projection, ProjectionTable } from '../projection';
import type { Db } from '../database/tables';
import { lockFences } from '../projecting/partitions';
import {
  beginGeneration,
  checkpoints,
  dropGeneration,
  generationsIn,
  moveCheckpoints,
  servingGenerations,
  switchTo,
} from '../projection-registry';

export interface RebuildContext extends LogTruth {
  readonly database: ReadModelDatabase;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly gatheredRowsMax?: number;
  readonly onProgress?: (progress: RebuildProgress) => void;
}

export interface RebuildProgress {
  readonly events: number;
  readonly position: Position;
  readonly head: Position;
}

export interface Building {
  readonly projection: Projection;
  readonly generation: number;
  readonly table: ProjectionTable;
  readonly categories: ReadonlySet<string>;
  readonly parked: Set<StreamName>;
  failures: Failure[];
}

/** Nothing was switched: another rebuild dropped the new tables as remains, or this release projects other tables. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
}

/** Shapes that may be replaced. A process of another release may still project into generations of another shape. */
export type Replaced = 'any-shape' | 'same-shape';

/**
 * Creates an empty generation of each projection, and drops the remains of an interrupted rebuild.
 * @throws RebuildRefused
 */
export const beginGenerations = (
  context: RebuildContext,
  projections: readonly Projection[],
  replaced: Replaced,
): Promise<readonly Building[]> =>
  context.database.registry.transaction().execute(async (transaction) => {
    const partitions = await lockFences(transaction);
    const known = await checkpoints(transaction);
    const serving = await servingGenerations(transaction);
    const differing = projections.filter(({ name, shape }) => (serving.get(name)?.shape ?? shape) !== shape);
    if (replaced === 'same-shape' && differing.length > 0)
      throw new RebuildRefused(
        `${differing.map(({ name }) => name).join(', ')}: this release projects other tables than those that serve; it builds them when it starts`,
      );
    const buildings: Building[] = [];
    for (const projection of projections) {
      let generation = 1;
      for (const old of generationsIn(known, projection.name)) {
        generation = Math.max(generation, old + 1);
        if (old !== serving.get(projection.name)?.generation) await drop(transaction, projection, old);
      }
      const table = projection.table(generation, true, rowSource(context, projection));
      await table.create(transaction);
      await beginGeneration(transaction, projection.name, generation, partitions, context.clock.now());
      buildings.push({ projection, generation, table, categories: new Set(projection.categories), parked: new Set(), failures: [] });
    }
    return buildings;
  });

/**
 * Switches and drops the old generations in one transaction, because readers detect a switch only by the missing table. False if another
 * process has projected further, so that more must be read first.
 * @throws RebuildRefused
 */
export const takeOver = ({ database, log, clock }: RebuildContext, buildings: readonly Building[], reached: Position): Promise<boolean> =>
  database.registry.transaction().execute(async (transaction) => {
    const partitions = await lockFences(transaction);
    const serving = await servingGenerations(transaction);
    const known = await checkpoints(transaction);
    for (const { projection, generation } of buildings)
      if (!generationsIn(known, projection.name).includes(generation)) throw new RebuildRefused('another rebuild began meanwhile');
    for (const row of known) {
      if (row.generation !== serving.get(row.projection)?.generation || row.position === null) continue;
      if (log.comparePositions(row.position as Position, reached) > 0) return false;
    }
    const fresh = buildings.map(({ projection, generation }) => ({ projection: projection.name, generation, from: undefined }));
    for (const partition of partitions) await moveCheckpoints(transaction, fresh, { ...partition, to: reached }, clock.now());
    for (const { projection, generation } of buildings) await switchTo(transaction, projection, generation);
    await dropOlder(transaction, buildings);
    await lockFences(transaction, 'note');
    return true;
  });

const dropOlder = async (transaction: Db, buildings: readonly Building[]): Promise<void> => {
  const known = await checkpoints(transaction);
  for (const { projection, generation } of buildings) {
    for (const older of generationsIn(known, projection.name)) if (older < generation) await drop(transaction, projection, older);
  }
};

const drop = (db: Db, projection: Projection, generation: number): Promise<void> =>
  dropGeneration(db, projection.name, generation, projection.table(generation, false).tables);
