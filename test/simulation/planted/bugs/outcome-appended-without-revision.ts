import type { PlantedBug } from '../planted-bug';

/** What was decided is stored behind whatever another process stored meanwhile. */
export const outcomeAppendedWithoutRevision: PlantedBug = {
  name: 'outcome-appended-without-revision',
  edits: [
    {
      file: 'libs/order-processing/order/application/order-context.ts',
      find: `    if (result.kind === 'conflict') return { kind: 'conflict' };
    const newest`,
      put: `    if (result.kind === 'conflict') {
      const nothing = { state: decider.initial, last: 'no_stream' as const, eventCount: 0 };
      const { last: head } = await loadOnto(nothing, store, stream, decider, codec);
      if (head === 'no_stream') return { kind: 'conflict' };
      await appendKnown(store, stream, head.revision, codec.encode(decision, stream, head, envelope));
    }
    const newest`,
    },
  ],
  seed: 1,
  violates: 'no stream is parked',
};
