import { existsSync } from 'node:fs';
import { systemScheduler, type Clock } from '@app/kernel';
import { createKeyRing, loadKeyRing, openSqliteVault, type EnvelopeCardVault } from '@app/card-vault';
import { EmbeddedEventStore } from '@app/event-store/embedded';
import type { OrchestratorEnvironment } from '@app/merchant-accounts';
import type { TestSwitches } from './test-switches';

export interface Stores {
  readonly events: EmbeddedEventStore;
  readonly vault: EnvelopeCardVault;
}

const filePath = (name: string, store: { readonly kind: string; readonly path?: string }): string => {
  if (store.path === undefined) throw new Error(`${name}: ${store.kind} is not served by this release; give a file`);
  return store.path;
};

/** Paths of the embedded stores. @throws Error with one line where a setting names a server */
export const storePaths = ({ eventStore, readModel, vault }: OrchestratorEnvironment) => ({
  events: filePath('EVENTSTORE_URL', eventStore),
  readModel: filePath('READ_MODEL_URL', readModel),
  vault: filePath('VAULT_URL', vault),
});

/** The log and the vault, opened in that order: the log's lock says whether another process runs on these files. */
export const openStores = async (
  environment: OrchestratorEnvironment,
  clock: Clock,
  switches: TestSwitches,
  onBroken: (error: Error) => void,
): Promise<Stores> => {
  const paths = storePaths(environment);
  const { commitDelayMs, groupJobsMax } = switches;
  const events = await EmbeddedEventStore.open({
    path: paths.events,
    clock,
    scheduler: systemScheduler,
    onBroken,
    ...(commitDelayMs !== undefined && { commitDelayMs }),
    ...(groupJobsMax !== undefined && { groupJobsMax }),
  });
  try {
    const ringPath = environment.vaultKeyringPath;
    if (!environment.isProduction && !existsSync(ringPath)) createKeyRing(ringPath);
    const vault = await openSqliteVault({ path: paths.vault, keyRing: loadKeyRing(ringPath), clock, onBroken });
    return { events, vault };
  } catch (error) {
    await events.close();
    throw error;
  }
};
