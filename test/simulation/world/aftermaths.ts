export const AFTERMATHS = ['edited-event', 'edited-row', 'lost-end'] as const;
export type Aftermath = (typeof AFTERMATHS)[number];
