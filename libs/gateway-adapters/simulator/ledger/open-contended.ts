/** Each try starts a thread, which gives the other process the time it needs. */
export const OPEN_TRIES_MAX = 10;

const LOCKED = /database is locked/;

/**
 * Several processes may open a new file at the same moment; while SQLite switches it to WAL it answers the second one "locked" at once, without
 * the busy time-out. Any other failure, and the last of these, is thrown to the caller.
 */
export const openContended = async <Opened>(open: () => Promise<Opened>): Promise<Opened> => {
  for (let triesLeft = OPEN_TRIES_MAX - 1; ; triesLeft--) {
    try {
      return await open();
    } catch (error) {
      if (triesLeft === 0 || !(error instanceof Error && LOCKED.test(error.message))) throw error;
    }
  }
};
