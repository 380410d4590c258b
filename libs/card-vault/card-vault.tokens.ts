import { token } from '@app/kernel/injection';
import type { EnvelopeCardVault } from './envelope/envelope-card-vault';

export const CARD_VAULT = token<EnvelopeCardVault>('CARD_VAULT');

export interface CardVaultListener {
  /** The key ring could not be read again; the process keeps the current one. */
  keyRingUnread(error: unknown): void;
}

export const CARD_VAULT_LISTENER = token<CardVaultListener>('CARD_VAULT_LISTENER');
