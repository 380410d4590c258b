import { token } from '@app/injection';
import type { EnvelopeCardVault } from './envelope/envelope-card-vault';

/** The vault: cards, sealing of orders' texts, and the service's keyed digests. */
export const CARD_VAULT = token<EnvelopeCardVault>('CARD_VAULT');
