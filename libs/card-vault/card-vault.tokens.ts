import { token } from '@app/kernel/injection';
import type { EnvelopeCardVault } from './envelope/envelope-card-vault';

/** The vault: cards, sealing of orders' texts, and the service's keyed digests. */
export const CARD_VAULT = token<EnvelopeCardVault>('CARD_VAULT');

export interface CardVaultWatch {
  /** The key ring could not be read anew: the process goes on with the one that it has. */
  keyRingUnread(error: unknown): void;
}

export const CARD_VAULT_WATCH = token<CardVaultWatch>('CARD_VAULT_WATCH');
