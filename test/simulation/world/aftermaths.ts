/** What happens to an installation behind its storm, when all else was looked at. */
export const AFTERMATHS = ['edited-event', 'edited-row', 'lost-end'] as const;
export type Aftermath = (typeof AFTERMATHS)[number];
