import { token } from '@app/kernel/injection';
import type { EnvelopeCardVault } from './envelope/envelope-card-vault';

export const CARD_VAULT = token<EnvelopeCardVault>('CARD_VAULT');

export interface CardVaultWatch {
  /** The key ring could not be read again; the process keeps the current one. */
  keyRingUnread(error: unknown): void;
}

export const CARD_VAULT_WATCH = token<CardVaultWatch>('CARD_VAULT_WATCH');
