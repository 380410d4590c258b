import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, provide, SCHEDULER, type Injectable } from '@app/kernel/injection';
import type { Scheduled, Scheduler } from '@app/kernel';
import { CARD_VAULT, CARD_VAULT_LISTENER, type CardVaultListener } from './card-vault.tokens';
import type { EnvelopeCardVault } from './envelope/envelope-card-vault';
import { loadKeyRing, loadOrCreateKeyRing } from './keys/key-ring-file';
import { openVault, type VaultSettings } from './open-vault';

interface CardVaultModuleSettings extends Omit<VaultSettings, 'clock' | 'keyRing'> {
  readonly keyRingPath: string;
  /** Creates a missing key ring at the first start; only outside production. */
  readonly mayCreateKeyRing: boolean;
  /** Must be open first: the lock of a file log reveals another process on these files. */
  readonly behind: Injectable<unknown>;
}

/** Interval at which a process checks for a rotated key ring. Retire a key only after all processes have checked (docs/run.md, "Keys"). */
const KEY_RING_LOOK_MS = 60_000;

/** The only holder of card numbers. Opened with the module, closed after all its callers. */
@Module({})
export class CardVaultModule implements OnApplicationBootstrap, OnApplicationShutdown {
  #look: Scheduled | undefined;
  #isStopping = false;

  constructor(
    @Inject(CARD_VAULT) private readonly vault: EnvelopeCardVault,
    @Inject(SCHEDULER) private readonly scheduler: Scheduler,
    @Inject(CARD_VAULT_LISTENER) private readonly listener: CardVaultListener,
  ) {}

  /** @throws Error in one line if the vault or its key ring cannot be opened */
  static forRoot({ keyRingPath, mayCreateKeyRing, behind, ...settings }: CardVaultModuleSettings): DynamicModule {
    const vault = provide(CARD_VAULT, { clock: CLOCK, behind }, ({ clock }) => {
      const keyRing = mayCreateKeyRing ? loadOrCreateKeyRing(keyRingPath) : loadKeyRing(keyRingPath);
      return openVault({ ...settings, keyRing, readKeyRing: () => loadKeyRing(keyRingPath), clock });
    });
    return { module: CardVaultModule, global: true, providers: [vault], exports: [CARD_VAULT] };
  }

  onApplicationBootstrap(): void {
    this.#lookLater();
  }

  onApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    this.#look?.cancel();
    return this.vault.close();
  }

  #lookLater(): void {
    if (this.#isStopping) return;
    this.#look = this.scheduler.after(KEY_RING_LOOK_MS, () => {
      void this.vault
        .refreshKeyRing()
        .catch((error: unknown) => this.listener.keyRingUnread(error))
        .finally(() => this.#lookLater());
    });
  }
}
