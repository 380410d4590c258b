import { systemScheduler, type Clock } from '@app/kernel';
import { loadKeyRing, loadOrCreateKeyRing, openVault, type EnvelopeCardVault } from '@app/card-vault';
import { openEventStore, type OpenedEventStore } from '@app/event-store/stores';
import type { OrchestratorEnvironment } from '@app/configuration';
import type { ReadModelAddress } from '@app/projections';
import type { TestSwitches } from './test-switches';

export interface Stores {
  readonly log: OpenedEventStore;
  readonly vault: EnvelopeCardVault;
}

export const readModelPlace = ({ readModel }: Pick<OrchestratorEnvironment, 'readModel'>): ReadModelAddress =>
  readModel.kind === 'file' ? { path: readModel.path } : { url: readModel.url, scheduler: systemScheduler };

/** The log and the vault, opened in that order: a log in a file has a lock that says whether another process runs on these files. */
export const openStores = async (
  environment: OrchestratorEnvironment,
  clock: Clock,
  switches: TestSwitches,
  onBroken: (error: Error) => void,
): Promise<Stores> => {
  const { commitDelayMs, groupJobsMax } = switches;
  const log = await openEventStore({
    at: environment.eventStore,
    clock,
    scheduler: systemScheduler,
    onBroken,
    ...(commitDelayMs !== undefined && { commitDelayMs }),
    ...(groupJobsMax !== undefined && { groupJobsMax }),
  });
  try {
    const ringPath = environment.vaultKeyringPath;
    const keyRing = environment.isProduction ? loadKeyRing(ringPath) : loadOrCreateKeyRing(ringPath);
    const vault = await openVault({ at: environment.vault, keyRing, clock, onBroken });
    return { log, vault };
  } catch (error) {
    await log.store.close();
    throw error;
  }
};
