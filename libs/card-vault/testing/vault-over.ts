import { EnvelopeCardVault, type EnvelopeCardVaultSettings } from '../envelope/envelope-card-vault';

/** Test code: the vault over any store, such as one that fails on purpose. */
export const vaultOver = (settings: EnvelopeCardVaultSettings): Promise<EnvelopeCardVault> => EnvelopeCardVault.open(settings);
