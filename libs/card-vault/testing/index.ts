export { MemoryVault } from './memory-vault';
export { MemoryVaultStore } from './memory-vault-store';
export { vaultOver } from './vault-over';
