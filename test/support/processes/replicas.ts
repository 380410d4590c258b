import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLedger, type LedgerReader } from '@app/gateway-adapters/simulator';
import { Balancer } from './balancer';
import { HttpClient, type HttpAnswer, type PublicSide, type RequestOptions } from '../http/http-client';
import { ServerStores } from './server-stores';
import { Service } from './service';
import type { Environment } from './service-process';

export interface ReplicasSettings {
  readonly configuration: object;
  readonly processes: readonly Environment[];
  /** Stopped with the processes. Default: the stores of the test run. */
  readonly stores?: ServerStores;
}

export const API: Environment = { ROLES: 'api' };
export const WORKER: Environment = { ROLES: 'worker' };

export class Replicas implements PublicSide {
  readonly services: Service[] = [];
  readonly #client = new HttpClient(() => this.balancer.url);

  private constructor(
    readonly stores: ServerStores,
    private readonly balancer: Balancer,
    readonly dataDir: string,
    private readonly configuration: object,
  ) {}

  static async start({ configuration, processes, stores: given }: ReplicasSettings): Promise<Replicas> {
    const stores = given ?? (await ServerStores.ofThisRun());
    const balancer = await Balancer.start();
    const replicas = new Replicas(stores, balancer, mkdtempSync(join(tmpdir(), 'orchestrator-replicas-')), configuration);
    try {
      await replicas.add(...processes);
      return replicas;
    } catch (error) {
      await replicas.dispose();
      throw error;
    }
  }

  get publicBaseUrl(): string {
    return this.balancer.url;
  }

  async add(...processes: readonly Environment[]): Promise<void> {
    const settings = { configuration: { ...this.configuration, publicBaseUrl: this.balancer.url }, dataDir: this.dataDir };
    const starting = await Promise.allSettled(
      processes.map((more) => Service.start({ ...settings, environment: this.environmentOf(more) })),
    );
    for (const [index, one] of starting.entries()) {
      if (one.status === 'rejected') continue;
      this.services.push(one.value);
      if (processes[index]?.['ROLES'] !== WORKER['ROLES']) this.balancer.leadTo(one.value.port);
    }
    for (const one of starting) if (one.status === 'rejected') throw one.reason;
  }

  environmentOf(more: Environment): Environment {
    return { ...this.stores.environment, ...more };
  }

  at(index: number): Service {
    const service = this.services[index];
    if (service === undefined) throw new RangeError(`there is no process ${index}`);
    return service;
  }

  request(path: string, options?: RequestOptions): Promise<HttpAnswer> {
    return this.#client.request(path, options);
  }

  send(url: string, options?: RequestOptions): Promise<HttpAnswer> {
    return this.#client.send(url, options);
  }

  ledger(): LedgerReader {
    return readLedger(join(this.dataDir, 'simulator.sqlite'));
  }

  async dispose(): Promise<void> {
    const ended = await Promise.allSettled(this.services.map((service) => service.dispose()));
    await this.#client.close();
    await this.balancer.stop();
    await this.stores.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }
}
