import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, provide, type Injectable } from '@app/injection';
import { CARD_VAULT } from './card-vault.tokens';
import type { EnvelopeCardVault } from './envelope/envelope-card-vault';
import { loadKeyRing, loadOrCreateKeyRing } from './key-ring/key-ring-file';
import { openVault, type VaultSettings } from './open-vault';

export interface CardVaultModuleSettings extends Omit<VaultSettings, 'clock' | 'keyRing'> {
  /** The file of the key ring. */
  readonly keyRingPath: string;
  /** Made at the first start where there is none: outside production alone. */
  readonly mayCreateKeyRing: boolean;
  /** What has to be open before: the lock of a log in a file tells whether another process runs on these files. */
  readonly behind: Injectable<unknown>;
}

/** The one place that holds card numbers. Opened with the module, closed after all that asks it. */
@Module({})
export class CardVaultModule implements OnApplicationShutdown {
  constructor(@Inject(CARD_VAULT) private readonly vault: EnvelopeCardVault) {}

  /** @throws Error in one line where the vault or its key ring cannot be opened */
  static forRoot({ keyRingPath, mayCreateKeyRing, behind, ...settings }: CardVaultModuleSettings): DynamicModule {
    const vault = provide(CARD_VAULT, { clock: CLOCK, behind }, ({ clock }) => {
      const keyRing = mayCreateKeyRing ? loadOrCreateKeyRing(keyRingPath) : loadKeyRing(keyRingPath);
      return openVault({ ...settings, keyRing, clock });
    });
    return { module: CardVaultModule, global: true, providers: [vault], exports: [CARD_VAULT] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.vault.close();
  }
}
