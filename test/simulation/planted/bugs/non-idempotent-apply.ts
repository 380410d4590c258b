import type { PlantedBug } from '../planted-bug';

/** Rows and checkpoint are written apart, and an event that a row has is applied to it again. */
export const nonIdempotentApply: PlantedBug = {
  name: 'non-idempotent-apply',
  edits: [
    {
      file: 'libs/projections/engine/projecting/projector.ts',
      find: `      await this.#moveTo(db, upTo, epoch);
      return failed;`,
      put: `      void epoch;
      return failed;`,
    },
    {
      file: 'libs/projections/engine/projecting/projector.ts',
      find: `    this.#committed(parked, upTo);
  }

  /** Applies each row`,
      put: `    await this.#live.transactAsOwner((db, epoch) => this.#moveTo(db, upTo, epoch));
    this.#committed(parked, upTo);
  }

  /** Applies each row`,
    },
    {
      file: 'libs/projections/engine/folded-table.ts',
      find: 'if (before !== undefined && event.revision < next) return before;',
      put: 'if (before !== undefined && event.revision < next) return { view: fold(before.view, event), revision: before.revision };',
    },
  ],
  seed: 3,
  violates: 'no stream is parked',
};
