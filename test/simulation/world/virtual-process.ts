import type { DynamicModule, InjectionToken, OnApplicationBootstrap } from '@nestjs/common';
import { LOG_PROOFS } from '@app/investigation/log-proofs.tokens';
import type { KeyRing } from '@app/card-vault';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { MemoryVaultStore, vaultOver, type MemoryVault } from '@app/card-vault/testing';
import type { Configuration, LiveConfiguration, OrchestratorEnvironment } from '@app/configuration';
import { LIVE_CONFIGURATION } from '@app/configuration/configuration.module';
import { CALLBACK_EGRESS } from '@app/callbacks/deliveries.tokens';
import type { Egress } from '@app/http/client';
import type { EventStore } from '@app/event-store';
import { EVENT_STORE, IS_LOG_SHARED } from '@app/event-store/event-store.tokens';
import type { Gates } from '@app/gateway-adapters/contract';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import type { ServiceLog } from '@app/http/server';
import { CLOCK, IDS, MONOTONIC, RANDOM, SCHEDULER } from '@app/kernel/injection';
import { addMs, noFailpoints, type BootId, type Clock, type Ids, type Random, type Scheduler } from '@app/kernel';
import { MERCHANT_SERVER_EGRESS } from '@app/callbacks/merchant-server/merchant-server-client.module';
import { READ_MODEL_DATABASE } from '@app/read-models/read-models.tokens';
import type { MemoryDatabase } from '@app/read-models/testing';
import { OrderSwitches, type NewOrderHold } from '@app/orders';
import type { VirtualClock } from '@app/testing';
import { AppModule } from '../../../apps/orchestrator/src/app.module';
import { ConfiguredGates, SIMULATOR_LEDGER } from '../../../apps/orchestrator/src/gates/gates.module';
import { CONFIGURATION_FILE } from '../../../apps/orchestrator/src/operator/operator.module';
import { Edge } from './edge';
import type { Life } from './life';
import { PlainParts } from './plain-parts';
import type { WireAnswer, WireRequest } from './wire';

export interface ProcessPorts {
  readonly life: Life;
  readonly time: VirtualClock;
  /** Milliseconds by which the wall clock is wrong; it may change at run time. */
  readonly clockErrorMs: () => number;
  readonly bootId: BootId;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: EventStore;
  /** False if at most one orchestrator process exists at any time. */
  readonly isLogShared: boolean;
  readonly vault: MemoryVault;
  readonly vaultFault: (when: 'before' | 'after') => void;
  readonly keyRing: KeyRing;
  readonly database: MemoryDatabase;
  readonly gates: Gates;
  readonly egress: Egress;
  readonly roles: OrchestratorEnvironment['roles'];
  readonly partition: OrchestratorEnvironment['readModelPartition'];
  readonly configuration: Configuration<ConfiguredGate>;
  /** Reads the configuration file of this process again. */
  readonly file: () => Configuration<ConfiguredGate>;
  readonly onLine: (event: string, error: unknown) => void;
}

const ORDER_KEYS_AHEAD = 8;
/** Each part of a process looks for what it was not told at this interval. A run does so less often, because it would be most of its cost. */
const IDLE_LOOK_MS = 5_000;
export const IDLE_LOOKS_STRETCHED = 6;
const BLOCK_ID_BYTES = 12;
const ORDER_KEY_BYTES = 32;

const quietLog = (onLine: ProcessPorts['onLine']): ServiceLog => {
  const nothing = (): void => undefined;
  const loud = (event: string, error?: unknown): void => onLine(event, error);
  const log = {
    linesLost: 0,
    info: nothing,
    log: nothing,
    debug: nothing,
    verbose: nothing,
    warn: nothing,
    warning: loud,
    failure: loud,
    error: loud,
  };
  return log as unknown as ServiceLog; // prettier-ignore
};

const environmentOf = ({ roles, partition }: Pick<ProcessPorts, 'roles' | 'partition'>): OrchestratorEnvironment =>
  ({
    isProduction: false,
    roles,
    operatorMetrics: 'open',
    operatorHosts: [],
    operatorUrl: undefined,
    operatorTokenPath: '',
    eventStore: { kind: 'file', path: 'world' },
    vault: { kind: 'file', path: 'world' },
    readModel: { kind: 'file', path: 'world' },
    readModelPartition: partition,
    simulatorLedgerPath: '',
    dataDir: '',
    host: '127.0.0.1',
    port: 0,
    operatorHost: '127.0.0.1',
    operatorPort: 0,
    vaultKeyringPath: '',
    configurationPath: '',
    logLevel: 'warn',
    logProofsDir: '',
    logSigningKeyPath: undefined,
    mayMakeLogSigningKey: false,
    logVerifyKeyPath: undefined,
    logWitnesses: [],
  }) satisfies OrchestratorEnvironment;

const clockOf = (time: VirtualClock, errorMs: () => number): Clock => ({ now: () => addMs(time.now(), errorMs()) });

const moduleOf = (ports: ProcessPorts): DynamicModule =>
  AppModule.forRoot({
    environment: environmentOf(ports),
    configuration: ports.configuration,
    switches: { failpoints: noFailpoints, commitDelayMs: undefined, groupJobsMax: undefined, silentGate: undefined },
    log: quietLog(ports.onLine),
    bootId: ports.bootId,
    onBroken: (error) => {
      throw error;
    },
  });

const failing = <Port extends object>(port: Port, fault: ProcessPorts['vaultFault']): Port =>
  new Proxy(port, {
    get: (target, member) => {
      const method = Reflect.get(target, member) as unknown;
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        fault('before');
        const answer: unknown = await (method as (...given: unknown[]) => unknown).apply(target, given);
        fault('after');
        return answer;
      };
    },
  });

const drawnKeys = (random: Random, count: number): { readonly id: Uint8Array; readonly keys: Uint8Array } => ({
  id: random.bytes(BLOCK_ID_BYTES),
  keys: random.bytes(count * ORDER_KEY_BYTES),
});

const vaultOf = ({ life, vault, vaultFault, keyRing, time, clockErrorMs, random }: ProcessPorts): ReturnType<typeof vaultOver> => {
  const store = life.guard(
    'vault',
    failing(new MemoryVaultStore({ vault, keyRing, drawKeys: (count) => drawnKeys(random, count) }), vaultFault),
  );
  return vaultOver({ store, keyRing, clock: clockOf(time, clockErrorMs), random, orderKeysAhead: ORDER_KEYS_AHEAD });
};

const givenParts = async (ports: ProcessPorts): Promise<ReadonlyMap<InjectionToken, unknown>> => {
  const { life, time, clockErrorMs, ids, random, log, isLogShared, database, gates, egress, file } = ports;
  const scheduler: Scheduler = {
    after: (delayMs, run) => life.after(delayMs === IDLE_LOOK_MS ? IDLE_LOOKS_STRETCHED * delayMs : delayMs, run),
  };
  return new Map<InjectionToken, unknown>([
    [CLOCK, clockOf(time, clockErrorMs)],
    [MONOTONIC, time],
    [SCHEDULER, scheduler],
    [IDS, ids],
    [RANDOM, random],
    [EVENT_STORE, log],
    [IS_LOG_SHARED, isLogShared],
    [CARD_VAULT, await vaultOf(ports)],
    [READ_MODEL_DATABASE, database],
    // The world's gates have no settings to take.
    [ConfiguredGates, { ...gates, prepare: () => () => undefined }],
    [CONFIGURATION_FILE, file],
    [SIMULATOR_LEDGER, { close: () => Promise.resolve() }],
    [CALLBACK_EGRESS, egress],
    [MERCHANT_SERVER_EGRESS, egress],
    // Has separate specs, and would write files.
    [LOG_PROOFS, STILL_LOG_PROOFS],
  ]);
};

const STILL_LOG_PROOFS = {
  start: () => undefined,
  stop: () => Promise.resolve(),
  health: () => ({ treeSize: 0, checkpoint: undefined, isSigning: false, fault: undefined }),
};

const startsWork = (part: unknown): part is OnApplicationBootstrap =>
  typeof part === 'object' && part !== null && 'onApplicationBootstrap' in part;

export class VirtualProcess {
  readonly #holdsAtArrival = new Set<readonly NewOrderHold[]>();

  private constructor(
    readonly life: Life,
    readonly parts: PlainParts,
    private readonly edge: Edge,
  ) {}

  /**
   * @throws the service's start errors; never settles if the process ends before it is ready
   */
  static async start(ports: ProcessPorts): Promise<VirtualProcess> {
    const parts = new PlainParts(moduleOf(ports), await givenParts(ports));
    const edge = await Edge.over(parts, 'paynet');
    for (const module of parts.modules) {
      const made = await parts.get<unknown>(module);
      if (startsWork(made)) await made.onApplicationBootstrap();
    }
    return new VirtualProcess(ports.life, parts, edge);
  }

  get configuration(): Configuration<ConfiguredGate> {
    return this.parts.made<LiveConfiguration<ConfiguredGate>>(LIVE_CONFIGURATION).current;
  }

  /** In force since before each unanswered request arrived. An order that is accepted now was routed under them. */
  get holdsOfRequests(): readonly NewOrderHold[] {
    const [oldest = []] = this.#holdsAtArrival;
    const held = this.parts.made(OrderSwitches).holds();
    return oldest.filter((one) => held.some(({ kind, id, since }) => kind === one.kind && id === one.id && since === one.since));
  }

  /** Never settles if the process ends before it answers. */
  async request(wire: WireRequest): Promise<WireAnswer> {
    // A copy, so that requests under equal holds differ.
    const holds = [...this.parts.made(OrderSwitches).holds()];
    this.#holdsAtArrival.add(holds);
    try {
      return await this.edge.request(wire);
    } finally {
      this.#holdsAtArrival.delete(holds);
    }
  }
}
