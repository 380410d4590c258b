import type { Health, HealthSource } from './health.controller';
import { storeHealths, type HealthParts } from './store-healths';

export interface ServiceHealthPorts extends Omit<HealthParts, 'projections'> {
  readonly work: { readonly projections: HealthParts['projections'] };
}

/** A process can serve when it has started, does not stop, and each of its stores answers. */
export class ServiceHealth implements HealthSource {
  readonly #ports: ServiceHealthPorts;
  #isServing = false;

  constructor(ports: ServiceHealthPorts) {
    this.#ports = ports;
  }

  started(): void {
    this.#isServing = true;
  }

  /** A load balancer sends nothing more to a process that is not ready; a request that arrives anyway is served. */
  standDown(): void {
    this.#isServing = false;
  }

  async health(): Promise<Health> {
    const { work, ...parts } = this.#ports;
    const stores = await storeHealths({ ...parts, projections: work.projections });
    return { isReady: this.#isServing && Object.values(stores).every(({ isReady }) => isReady), stores };
  }
}
