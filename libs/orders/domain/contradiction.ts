import type { LateResultConflict } from './attempt.events';
import type { CommissionDiffered } from './device.events';
import type { LateFollowUpConflict } from './follow-up.events';

type Contradiction = LateResultConflict | LateFollowUpConflict | CommissionDiffered;

const TYPES: { readonly [Type in Contradiction['type']]: Type } = {
  LateResultConflict: 'LateResultConflict',
  LateFollowUpConflict: 'LateFollowUpConflict',
  CommissionDiffered: 'CommissionDiffered',
};

/** Money may stand otherwise than the log says, so that a person has to be alerted (safety, I4). */
export const isContradiction = (event: { readonly type: string }): event is Contradiction => Object.hasOwn(TYPES, event.type);
