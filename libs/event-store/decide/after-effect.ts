import { OutcomeUnknown, StoreUnavailable } from '../core/port';

/**
 * Runs the rest of an action whose effect is stored.
 * @param others further errors that callers take for "nothing was done"
 * @throws OutcomeUnknown in place of such an error: the caller must not repeat the action as a new one
 */
export const afterEffect = async <Value>(work: () => Promise<Value>, ...others: readonly (new () => Error)[]): Promise<Value> => {
  try {
    return await work();
  } catch (error) {
    if (![StoreUnavailable, ...others].some((type) => error instanceof type)) throw error;
    throw new OutcomeUnknown(`stored, but not completed: ${(error as Error).message}`);
  }
};
