/** Damage to an installation after its storm, when every other check is done. */
export const AFTERMATHS = ['edited-event', 'edited-row', 'lost-end'] as const;
export type Aftermath = (typeof AFTERMATHS)[number];
