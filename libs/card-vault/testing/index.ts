export * from './memory-vault';
export * from './memory-vault-store';
export * from './vault-over';
