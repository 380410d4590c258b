import type { LateResultConflict } from './attempt.events';
import type { LateFollowUpConflict } from './follow-up.events';

type Contradiction = LateResultConflict | LateFollowUpConflict;

const TYPES: { readonly [Type in Contradiction['type']]: Type } = {
  LateResultConflict: 'LateResultConflict',
  LateFollowUpConflict: 'LateFollowUpConflict',
};

/** A gate said other than what is believed: money may stand otherwise than the log says, and a person has to be told (safety, I4). */
export const isContradiction = (event: { readonly type: string }): event is Contradiction => Object.hasOwn(TYPES, event.type);
