import type { Position } from '@app/event-store';
import type { Scheduler } from '@app/kernel';
import type { ReplayClaim } from '../database/database';
import { isDataFault } from '../faults';
import type { Projection } from '../projection';
import { GenerationWriter } from '../rebuild/generation-writer';
import { LogFold } from '../rebuild/log-fold';
import type { Building, RebuildContext } from '../rebuild/rebuild-context';
import { compareGenerations, type ReplayComparison } from './compare';
import { ReplayRefused } from './replay-refused';
import { beginReplay, noteIndexed, saveReached, switchReplay } from './replay-generations';

/** How much is folded again at most after a kill. */
const SAVED_EVERY_EVENTS = 50_000;
/** More than one is needed only where the service projects at the same time. */
const CATCH_UPS_MAX = 50;

export interface ReplayContext extends RebuildContext {
  readonly scheduler: Scheduler;
  /** Events between two moments at which it is stored how far the replay has come. */
  readonly savedEveryEvents?: number;
}

/** Two replays would write rows of different moments into the same new tables. @throws ReplayRefused */
const claimed = async ({ database }: ReplayContext): Promise<ReplayClaim> => {
  const claim = await database.claimReplay();
  if (claim === undefined) throw new ReplayRefused('another replay is under way');
  return claim;
};

/** New generations of all projections, folded beside those that serve and follow the log meanwhile. The log is read and never written. */
export class Replay {
  readonly #context: ReplayContext;
  readonly #buildings: readonly Building[];
  readonly #writer: GenerationWriter;
  readonly #fold: LogFold;
  readonly #claim: ReplayClaim;
  /** Where an interrupted replay had come, from which this one went on. */
  readonly resumedFrom: Position | undefined;

  private constructor(
    context: ReplayContext,
    buildings: readonly Building[],
    writer: GenerationWriter,
    fold: LogFold,
    claim: ReplayClaim,
    from: Position | 'start',
  ) {
    this.#claim = claim;
    this.#context = context;
    this.#buildings = buildings;
    this.#writer = writer;
    this.#fold = fold;
    this.resumedFrom = from === 'start' ? undefined : from;
  }

  /**
   * Builds up to the log's head, from where an interrupted replay had come.
   * @throws ReplayRefused where this release has other tables than those that serve, the running service cannot follow two generations, or another replay
   * is under way
   */
  static async build(context: ReplayContext, projections: readonly Projection[]): Promise<Replay> {
    const claim = await claimed(context);
    try {
      return await Replay.#built(context, projections, claim, false).catch((error: unknown) => {
        if (!isDataFault(error)) throw error;
        // Two rows violate a unique index. With the indexes in place from the start, the stream of the later row is parked.
        return Replay.#built(context, projections, claim, true);
      });
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  static async #built(context: ReplayContext, projections: readonly Projection[], claim: ReplayClaim, isAnew: boolean): Promise<Replay> {
    const { buildings, from, indexed } = await beginReplay(context, projections, isAnew);
    const writer = new GenerationWriter(context, buildings);
    const save = (db: Parameters<typeof saveReached>[0], reached: Position) => saveReached(db, buildings, reached, context.clock.now());
    const saving = { everyEvents: context.savedEveryEvents ?? SAVED_EVERY_EVENTS, save };
    const fold = new LogFold(context, new Set(projections.flatMap(({ categories }) => categories)), writer, saving, from);
    try {
      if (isAnew) await writer.createIndexes(noteIndexed);
      await fold.catchUp(indexed.size > 0 || isAnew ? 'here' : 'beside');
      if (!isAnew) await writer.createIndexes(noteIndexed, indexed);
      await fold.catchUp('here');
      await writer.analyze();
      return new Replay(context, buildings, writer, fold, claim, from);
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  /** Events that this process read. */
  get events(): number {
    return this.#fold.events;
  }

  get parkedStreams(): number {
    return this.#buildings.reduce((sum, { parked }) => sum + parked.size, 0);
  }

  get generations(): readonly { readonly projection: string; readonly generation: number }[] {
    return this.#buildings.map(({ projection, generation }) => ({ projection: projection.name, generation }));
  }

  /** Undefined where the serving generations do not come level with the log. */
  compare(): Promise<readonly ReplayComparison[] | undefined> {
    return compareGenerations(this.#context, this.#buildings, () => this.#caughtUp());
  }

  /** Lets the new generations serve, and keeps those that they replace. */
  async switch(): Promise<void> {
    for (let round = 0; round < CATCH_UPS_MAX; round++) {
      const reached = await this.#caughtUp();
      if (!this.#claim.isHeld) throw new ReplayRefused('the right to replay was lost, and another may have begun: run it again');
      if (await switchReplay(this.#context, this.#buildings, reached)) return;
    }
    throw new Error(`the new read models did not come level with the old ones in ${CATCH_UPS_MAX} rounds`);
  }

  /** Frees the writer, and lets others replay; what was built stays. */
  async close(): Promise<void> {
    await this.#writer.close();
    await this.#claim.release();
  }

  async #caughtUp(): Promise<Position> {
    await this.#fold.catchUp('here');
    return this.#fold.reached;
  }
}
