import { CommandFailed, EXIT } from '../command-failed';

/** What an address folds away, and a word of the operator port's own addresses: an order that a merchant named so is asked for by its order id. */
const NO_NAMES_IN_A_PATH: ReadonlySet<string> = new Set(['', '.', '..', 'unknown']);

/** The path of an order at the operator port. @throws CommandFailed for a name that no path can have */
export const orderPath = (order: string): string => {
  if (NO_NAMES_IN_A_PATH.has(order))
    throw new CommandFailed(
      `${JSON.stringify(order)} cannot be asked for by this name: give its order id, which orch find tells`,
      EXIT.usage,
    );
  return `/audit/orders/${encodeURIComponent(order)}`;
};
