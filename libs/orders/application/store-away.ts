import { VaultUnavailable } from '@app/card-vault';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';

/** Whether the log or the vault could not be reached, so that the same work may succeed a moment later. */
export const isStoreAway = (error: unknown): error is VaultUnavailable | OutcomeUnknown | StoreUnavailable =>
  error instanceof StoreUnavailable || error instanceof OutcomeUnknown || error instanceof VaultUnavailable;
