import { VaultUnavailable, type EnvelopeCardVault } from '@app/card-vault';
import type { EventStore, SubscriptionRunner } from '@app/event-store';
import { waitAtMost, type Clock, type Scheduler } from '@app/kernel';
import type { ReadModel } from '@app/read-models';
import type { ServiceLog } from '@app/http/server';
import type { Health, HealthSource, StoreHealth } from './health.controller';

export const STORE_ANSWER_MS_MAX = 5_000;

export interface HealthParts {
  readonly store: Pick<EventStore, 'head' | 'assertRoom'>;
  readonly vault: Pick<EnvelopeCardVault, 'ready'>;
  readonly readModel: Pick<ReadModel, 'health' | 'isFencedOut'>;
  readonly projections: Pick<SubscriptionRunner, 'health'> | undefined;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Pick<ServiceLog, 'failure'>;
}

/** A lagging read model does not make the service unready: statuses are then answered from the log (safety, F20). */
const lag = ({ projections, clock }: HealthParts): string => {
  const behindSince = projections?.health().behindSince;
  return behindSince === undefined ? '' : `, ${Math.floor((clock.now() - behindSince) / 1_000)} s behind the log`;
};

const askVault = async ({ vault }: HealthParts): Promise<void> => {
  const { problem } = await vault.ready();
  if (problem !== undefined) throw new VaultUnavailable(problem);
};

const askLog = async ({ store }: HealthParts): Promise<void> => {
  await store.head();
  await store.assertRoom?.();
};

const askReadModel = async ({ readModel }: HealthParts): Promise<void> => {
  await readModel.health();
  if (readModel.isFencedOut) throw new Error('another process writes the same read models');
};

const tooLate = (): Promise<never> => Promise.reject(new Error(`no answer within ${STORE_ANSWER_MS_MAX} ms`));

const check = async ({ log, scheduler }: HealthParts, detail: string, ask: () => Promise<unknown>): Promise<StoreHealth> => {
  try {
    await waitAtMost(scheduler, STORE_ANSWER_MS_MAX, ask(), tooLate);
    return { isReady: true, detail };
  } catch (error) {
    // A store's error may name files and statements, so it goes to the log and not into an open answer (safety, T50).
    log.failure('health.store-failed', error);
    return { isReady: false, detail: 'does not answer' };
  }
};

export const storeHealths = async (parts: HealthParts): Promise<Health['stores']> => {
  const [events, vault, readModel] = await Promise.all([
    check(parts, 'the event log answers', () => askLog(parts)),
    check(parts, 'the vault answers', () => askVault(parts)),
    check(parts, `the read model answers${lag(parts)}`, () => askReadModel(parts)),
  ]);
  return { events, vault, readModel };
};

interface ServiceHealthPorts extends Omit<HealthParts, 'projections'> {
  readonly work: { readonly projections: HealthParts['projections'] };
}

export class ServiceHealth implements HealthSource {
  readonly #ports: ServiceHealthPorts;
  #isServing = false;

  constructor(ports: ServiceHealthPorts) {
    this.#ports = ports;
  }

  started(): void {
    this.#isServing = true;
  }

  /** Stops a load balancer from sending requests. Requests that still arrive are served. */
  standDown(): void {
    this.#isServing = false;
  }

  async health(): Promise<Health> {
    const { work, ...parts } = this.#ports;
    const stores = await storeHealths({ ...parts, projections: work.projections });
    return { isReady: this.#isServing && Object.values(stores).every(({ isReady }) => isReady), stores };
  }
}
