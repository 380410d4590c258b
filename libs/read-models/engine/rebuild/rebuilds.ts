import { StoreUnavailable } from '@app/event-store';
import { abandonAheadOfLog } from '../ahead-of-log';
import type { Projection } from '../projection';
import { projectionStates } from '../projection-registry';
import type { Reader } from '../reader';
import type { Replaced } from './new-generations';
import { buildGenerations, type Rebuilt } from './rebuild';
import type { RebuildContext } from './rebuild-context';

export interface RebuildsContext extends RebuildContext {
  readonly reader: Reader;
  /** Raises an alarm: the log lacks events that these projections were folded from. */
  readonly onAheadOfLog?: (projections: readonly string[]) => void;
}

/** The rebuilds of one process, one at a time. */
export class Rebuilds {
  readonly #context: RebuildsContext;
  readonly #projections: readonly Projection[];
  #underWay: Promise<Rebuilt> | undefined;

  constructor(context: RebuildsContext, projections: readonly Projection[]) {
    this.#context = context;
    this.#projections = projections;
  }

  /** Builds only projections that were never built or that changed their shape; undefined where there are none. */
  async buildMissing(): Promise<Rebuilt | undefined> {
    // A rebuild under way may build the missing projections.
    if ((await this.#missing()).length > 0) await this.#underWay;
    const missing = await this.#missing();
    return missing.length === 0 ? undefined : this.#rebuild(missing, 'any-shape');
  }

  /** @throws StoreUnavailable while a projection is to be built */
  async assertBuilt(): Promise<void> {
    const missing = await this.#missing();
    if (missing.length > 0)
      throw new StoreUnavailable(`${missing.map(({ name }) => name).join(', ')}: not built yet by whoever projects the first partition`);
  }

  /** @throws Error for an unknown name, and while a rebuild runs; RebuildRefused */
  async rebuild(which: 'all' | readonly string[]): Promise<Rebuilt> {
    if (which === 'all') return this.#rebuild(this.#projections, 'same-shape');
    const known = new Map(this.#projections.map((projection) => [projection.name, projection]));
    const projections = which.map((name) => {
      const projection = known.get(name);
      if (projection === undefined) throw new Error(`no projection is named ${name}; there are ${[...known.keys()].join(', ')}`);
      return projection;
    });
    return this.#rebuild(projections, 'same-shape');
  }

  /** Drops projections that are ahead of the log. @throws StoreUnavailable */
  async abandonAheadOfLog(): Promise<readonly string[]> {
    const { database, log, reader, onAheadOfLog } = this.#context;
    const abandoned = await abandonAheadOfLog({ database, log }, this.#projections);
    if (abandoned.length === 0) return abandoned;
    await reader.refresh();
    onAheadOfLog?.(abandoned);
    return abandoned;
  }

  async #missing(): Promise<readonly Projection[]> {
    const states = await projectionStates(this.#context.database.reads);
    return this.#projections.filter(({ name, shape }) => states.get(name)?.shape !== shape);
  }

  async #rebuild(projections: readonly Projection[], replaced: Replaced): Promise<Rebuilt> {
    if (this.#underWay !== undefined) throw new Error('a rebuild is under way');
    this.#underWay = this.abandonAheadOfLog().then(() => buildGenerations(this.#context, projections, replaced));
    try {
      return await this.#underWay;
    } finally {
      this.#underWay = undefined;
      await this.#context.reader.refresh();
    }
  }
}
