const SHOWN_MAX = 4;

/** The end of a reference by which a card is charged, and never more than half of it. */
export const tokenEnd = (reference: string): string => {
  const shown = Math.min(SHOWN_MAX, Math.floor(reference.length / 2));
  return `…${shown === 0 ? '' : reference.slice(-shown)}`;
};
