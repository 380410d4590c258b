import { VaultUnavailable } from '@app/card-vault';
import type { EventStore, SubscriptionRunner } from '@app/event-store';
import type { Clock } from '@app/kernel';
import type { ReadModel } from '@app/projections';
import type { ServiceLog } from '@app/http-server';
import type { Health, StoreHealth } from '../operator/health.controller';
import type { EnvelopeCardVault } from '@app/card-vault';

export interface HealthParts {
  readonly store: Pick<EventStore, 'head'>;
  readonly vault: Pick<EnvelopeCardVault, 'ready'>;
  readonly readModel: Pick<ReadModel, 'health' | 'isFencedOut'>;
  /** Undefined in a process that projects nothing. */
  readonly projections: Pick<SubscriptionRunner, 'health'> | undefined;
  readonly clock: Clock;
  readonly log: Pick<ServiceLog, 'failure'>;
}

/** A read model that lags does not make the service unready: who asks is told what the log says (safety, F20). */
const lag = ({ projections, clock }: HealthParts): string => {
  const behindSince = projections?.health().behindSince;
  return behindSince === undefined ? '' : `, ${Math.floor((clock.now() - behindSince) / 1_000)} s behind the log`;
};

const askVault = async ({ vault }: HealthParts): Promise<void> => {
  const { problem } = await vault.ready();
  if (problem !== undefined) throw new VaultUnavailable(problem);
};

const askReadModel = async ({ readModel }: HealthParts): Promise<void> => {
  await readModel.health();
  if (readModel.isFencedOut) throw new Error('another process projects into the same read models');
};

const check = async (log: HealthParts['log'], detail: string, ask: () => Promise<unknown>): Promise<StoreHealth> => {
  try {
    await ask();
    return { isReady: true, detail };
  } catch (error) {
    // What a store says of itself may name files and statements: that is for the log, not for whoever asks (safety, T50).
    log.failure('health.store-failed', error);
    return { isReady: false, detail: 'does not answer' };
  }
};

/** Asks each store whether it answers. */
export const storeHealths = async (parts: HealthParts): Promise<Health['stores']> => ({
  events: await check(parts.log, 'the event log answers', () => parts.store.head()),
  vault: await check(parts.log, 'the vault answers', () => askVault(parts)),
  readModel: await check(parts.log, `the read model answers${lag(parts)}`, () => askReadModel(parts)),
});
