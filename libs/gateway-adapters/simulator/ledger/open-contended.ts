/** Each try starts a thread, which gives the other process the time it needs. */
export const OPEN_TRIES_MAX = 10;

const LOCKED = /database is locked/;

/**
 * Several processes may meet a new file at the same moment; SQLite answers the one that comes second while it turns to WAL with "locked" at
 * once, without the busy time-out. Any other failure, and the last of these, is the caller's.
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
