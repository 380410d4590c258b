/** Lets everything else that is ready run once; no time passes. */
export const eventLoopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
