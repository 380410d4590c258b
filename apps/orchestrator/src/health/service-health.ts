import type { Health, HealthSource } from '../operator/health.controller';
import { storeHealths, type HealthParts } from './store-healths';

export interface ServiceHealthPorts extends Omit<HealthParts, 'projections'> {
  readonly work: { readonly projections: HealthParts['projections'] };
}

/** Whether this process can serve: it has started and does not stop, and each of its stores answers. */
export class ServiceHealth implements HealthSource {
  readonly #ports: ServiceHealthPorts;
  #isServing = false;

  constructor(ports: ServiceHealthPorts) {
    this.#ports = ports;
  }

  started(): void {
    this.#isServing = true;
  }

  /** Not ready from now on, so that a balancer sends nothing more; what comes all the same is served. */
  standDown(): void {
    this.#isServing = false;
  }

  async health(): Promise<Health> {
    const { work, ...parts } = this.#ports;
    const stores = await storeHealths({ ...parts, projections: work.projections });
    return { isReady: this.#isServing && Object.values(stores).every(({ isReady }) => isReady), stores };
  }
}
