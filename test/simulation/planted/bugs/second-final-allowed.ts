import type { PlantedBug } from '../planted-bug';

/** An order that has ended may end once more. */
export const secondFinalAllowed: PlantedBug = {
  name: 'second-final-allowed',
  edits: [
    {
      file: 'libs/order-processing/order/domain/processing.ts',
      find: `  if (end !== undefined) return undefined;
  const { callbacks } = plan;`,
      put: `  void end;
  const { callbacks } = plan;`,
    },
    {
      file: 'libs/order-processing/order/domain/processing.ts',
      find: 'if (state.end !== undefined) throw new Error(`${event.type} after ${state.end.type}`);',
      put: '',
    },
    {
      file: 'libs/order-processing/attempts/domain/attempts.ts',
      find: `  if (!isContradiction || state.conflicts.includes(answer.kind)) return { reason: 'nothing-new' };`,
      put: `  void isContradiction;
  if (answer.kind !== 'approved' && answer.kind !== 'declined') return { reason: 'nothing-new' };`,
    },
  ],
  seed: 86,
  violates: 'no stream is parked',
};
