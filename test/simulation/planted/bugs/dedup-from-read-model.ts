import type { PlantedBug } from '../planted-bug';

/** Whether a value was used is looked up beforehand, as in a read model, and not decided by the append: of two at once both go on. */
export const dedupFromReadModel: PlantedBug = {
  name: 'dedup-from-read-model',
  edits: [
    {
      file: 'libs/event-store/unique/unique-claim.ts',
      find: "if (answer.kind === 'appended') return 'appended';",
      put: "if (answer.kind !== undefined) return 'appended';",
    },
  ],
  seed: 469,
  violates: 'a follow-up is done once, however often it was sent',
};
