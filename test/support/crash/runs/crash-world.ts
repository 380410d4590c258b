import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '@app/kernel';
import { seededRandom } from '@app/testing';
import { CallbackReceiver, DELIVERED, type Behaviour } from '../../merchants/callback-receiver';
import { Merchant } from '../../merchants/merchant';
import { sandboxConfiguration } from '../../processes/sandbox-configuration';
import { Service, type Environment, type Exit } from '../../processes/service';
import { until } from '../../until';
import { Clients } from '../clients/clients';
import { faultsOf } from '../findings/compare';
import { nothingLeft, readModelFaults } from '../findings/read-model-rows';
import { integrityFaults } from '../findings/sqlite-files';
import { readLogIn } from '../findings/whole-log';

const DEATH_WAIT_MS = 30_000;
const FLIGHT_SECONDS = 0.5;

export interface Template {
  readonly dataDir: string;
  readonly cardRefId: string;
}

/** We accept a "not found" of these gates after half a second, so that runs do not wait for calls that were never made. */
export const crashConfiguration = (ports: readonly number[]): object =>
  sandboxConfiguration({
    ports,
    acme: {
      endpoints: [
        { id: '1001', currency: 'USD', gates: ['sim-quick'] },
        { id: '1002', currency: 'EUR', gates: ['sim-quick'] },
        { id: '1003', currency: 'USD', gates: ['sim-quick-3ds'] },
      ],
    },
    gates: [
      { alias: 'sim-quick', adapter: 'simulator', currencies: ['USD', 'EUR'], longestFlightSeconds: FLIGHT_SECONDS },
      { alias: 'sim-quick-3ds', adapter: 'simulator', currencies: ['USD'], threeDSecure: true, longestFlightSeconds: FLIGHT_SECONDS },
    ],
  });

export const makeTemplate = async (): Promise<Template> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'orchestrator-template-'));
  const service = await Service.start({ configuration: crashConfiguration([]), dataDir });
  const cardRefId = await new Merchant(service).registeredCard();
  // Otherwise the copy's start would project the rest and pass P9 before the order does.
  await nothingLeft(dataDir);
  await service.stop();
  return { dataDir, cardRefId };
};

export const unreliableAtFirst = (path: string, tryNumber: number): Behaviour => {
  if (tryNumber > 1) return DELIVERED;
  const quarter = Number(/\d+$/.exec(path)?.[0] ?? '0') % 4;
  if (quarter === 0) return { kind: 'status', status: 503 };
  return quarter === 1 ? { kind: 'answer-lost' } : DELIVERED;
};

export class CrashWorld {
  readonly clients: Clients;
  #isAlive = false;

  private constructor(
    readonly service: Service,
    readonly receiver: CallbackReceiver,
    readonly random: Random,
    cardRefId: string,
  ) {
    this.clients = new Clients(service, new Merchant(service), receiver, cardRefId, random);
    void this.expectDeath();
  }

  static async open({ dataDir, cardRefId }: Template, seed: number, environment: Environment = {}): Promise<CrashWorld> {
    const receiver = await CallbackReceiver.start();
    receiver.behave(unreliableAtFirst);
    const own = mkdtempSync(join(tmpdir(), 'orchestrator-crash-'));
    cpSync(dataDir, own, { recursive: true });
    try {
      const service = await Service.start({ configuration: crashConfiguration([receiver.port]), dataDir: own, environment });
      return new CrashWorld(service, receiver, seededRandom(seed), cardRefId);
    } catch (error) {
      await receiver.stop();
      rmSync(own, { recursive: true, force: true });
      throw error;
    }
  }

  chance(max: number): number {
    return 1 + Math.floor(this.random.fraction() * max);
  }

  /**
   * From now on the process may end.
   * @returns false if it was killed before it was ready
   */
  async restart(environment: Environment = {}): Promise<boolean> {
    if (this.#isAlive) await this.service.stop();
    const starting = this.service.restart(environment);
    const exited = this.expectDeath();
    try {
      await starting;
      return true;
    } catch (error) {
      const { signal } = await exited;
      if (signal !== 'SIGKILL') throw error;
      return false;
    }
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  async kill(): Promise<void> {
    await this.service.kill();
    this.#isAlive = false;
  }

  async death(what: string): Promise<Exit> {
    let exit: Exit | undefined;
    void this.service.exited().then((seen) => (exit = seen));
    return until(() => exit, {
      what: `the service to die at ${what}`,
      timeoutMs: DEATH_WAIT_MS,
      seen: () => this.service.stdout.slice(-2_000),
    });
  }

  async converge(): Promise<void> {
    await this.clients.repeatAll();
    await this.clients.awaitFinal();
    await nothingLeft(this.service.dataDir);
  }

  async faults(): Promise<string[]> {
    const { dataDir } = this.service;
    const { code, signal } = await this.service.stop();
    const stopped = code === 0 ? [] : [`the stop ended with code ${code}, signal ${signal}`];
    const ledger = this.service.ledger();
    try {
      const records = { streams: await readLogIn(dataDir), orders: this.clients.orders, receiver: this.receiver, ledger };
      return [...stopped, ...(await integrityFaults(dataDir)), ...faultsOf(records), ...(await readModelFaults(dataDir))];
    } finally {
      ledger.close();
    }
  }

  private expectDeath(): Promise<Exit> {
    const exited = this.service.exited();
    this.#isAlive = true;
    void exited.then(() => (this.#isAlive = false));
    return exited;
  }

  async dispose(): Promise<void> {
    await this.receiver.stop();
    await this.service.dispose();
    rmSync(this.service.dataDir, { recursive: true, force: true });
  }
}
