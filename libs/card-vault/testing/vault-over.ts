import { EnvelopeCardVault, type EnvelopeCardVaultSettings } from '../envelope/envelope-card-vault';

export const vaultOver = (settings: EnvelopeCardVaultSettings): Promise<EnvelopeCardVault> => EnvelopeCardVault.open(settings);
