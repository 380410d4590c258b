import { MemoryVault } from '@app/card-vault/testing';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { GateAlias } from '@app/kernel';
import type { ReadModel } from '@app/read-models';
import { MemoryDisk, type DiskCopy } from '@app/read-models/testing';
import { VirtualClock } from '@app/testing';
import { BackOffice } from './back-office';
import { CardThief } from './card-thief';
import { AFTERMATHS, type Aftermath } from './aftermaths';
import { ApprovalActor } from './approval-actor';
import { DamageableLog } from './damageable-log';
import { Configurations } from './configurations';
import { DeviceActor } from './device-actor';
import { Disasters } from './disasters';
import { Eavesdropper } from './eavesdropper';
import { GateActor } from './gate-actor';
import { CONTROL_KEYS, GATES, keyRingOf, MERCHANT_SERVER_ORIGIN, productsOfWorld } from './installation';
import type { Roles } from './instance';
import { Instances } from './instances';
import { KeyRotation } from './key-rotation';
import { KeyedChance } from './keyed-chance';
import { MerchantActor } from './merchant-actor';
import { Network } from './network';
import { OnCallActor } from './on-call-actor';
import { OperatorActor } from './operator-actor';
import { OperatorPort } from './operator-port';
import { PayerActor } from './payer-actor';
import { Rebuilder } from './rebuilder';
import { openWorkSeenBy, readModelOver } from './stores';
import { hasUnreliableGates, HEALTHY, swarmOf, type Swarm } from './swarm';
import type { VirtualProcess } from './virtual-process';

const STORM_MS = 4 * 60_000;
/** The last orders begin long before the storm ends, so that it affects their follow-ups too. */
const ORDERS_BEGIN_WITHIN = 0.3;
/** Orders begin early, so later holds would meet none. */
const HOLDS_WITHIN = 0.5;
const LAGS_MS_MAX = 60_000;
const CHANGES = ['first', 'second'] as const;
const SETTLE_STEP_MS = 10_000;
/** Longer than any order takes without faults: the longest flight, the inquiries, the payer's time. */
const REST_LIMIT_MS = 6 * 3_600_000;
/** A card without an owner is kept for a quarter of an hour, and searched each minute. */
const OWNERLESS_KEPT_MS = 16 * 60_000;
const SWEEP_GAP_MS = 130_000;
/** Share of runs with one instance, whose process knows that no other calls gates. */
const ALONE_SHARE = 0.2;
/** Share of runs that outlast the callback schedule; two weeks are shortened to two hours. Some callbacks are never acknowledged. */
const OUTLASTING_SHARE = 0.05;
const OUTLASTING_SPEED = 200;
const NEVER_TAKES_SHARE = 0.2;
const BURST_SHARE = 0.002;
const BURST = 320;
const CHARGES_OF_CARD = [1, 2] as const;
const AFTERMATH_SHARE = 0.2;
const PARTITIONED_SHARE = 0.1;
/** Share of runs whose first processes build the read models, and not only after their loss. */
const UNBUILT_SHARE = 0.1;
const ONE_INSTANCE: readonly Roles[] = [['api', 'worker']];
const TWO_INSTANCES: readonly Roles[] = [
  ['api', 'worker'],
  ['api', 'worker'],
];

export interface WorldSettings {
  readonly seed: number;
  /** Default: drawn from the seed. */
  readonly swarm?: Swarm;
  readonly ordersPerMerchant?: number;
  readonly devices?: number;
  readonly instances?: readonly Roles[];
  readonly partitions?: number;
}

const partitionsOf = (roles: readonly Roles[], chance: KeyedChance): number =>
  roles.length > 1 && chance.happens(PARTITIONED_SHARE, 'world.is-partitioned') ? roles.length : 1;

let built: Promise<DiskCopy> | undefined;

/** Empty read models. They are built once for all runs, because their tables cost as much as an order. */
const builtDisk = (): Promise<DiskCopy> =>
  (built ??= (async () => {
    const [disk, time] = [await MemoryDisk.create(), new VirtualClock()];
    const model = readModelOver({ log: new MemoryEventStore(time), time }, disk);
    await model.build();
    await model.close();
    const copy = disk.copy();
    disk.remove();
    return copy;
  })());

/** Few, since a fault affects one order: many small runs show more than few large ones. */
const ORDERS_OF_SHOP = [1, 2] as const;
const DEVICES_MAX = 3;
const DEVICES = [0, 1, 2, DEVICES_MAX] as const;

/**
 * A whole installation from one seed: merchants, apps, gates, processes, stores and faults. It uses no real time, sockets, files or
 * randomness.
 */
export class World {
  readonly time = new VirtualClock();
  readonly log = new DamageableLog(this.time);
  readonly merchantServerLog = new MemoryEventStore(this.time);
  readonly vault = new MemoryVault();
  readonly gates: readonly GateActor[];
  readonly merchants: readonly MerchantActor[];
  readonly devices: DeviceActor;
  readonly backOffice: BackOffice;
  readonly thief: CardThief;
  readonly eavesdropper: Eavesdropper;
  readonly operators: OperatorActor;
  readonly onCall: OnCallActor;
  readonly approvals: ApprovalActor;
  readonly rebuilder: Rebuilder;
  readonly instances: Instances;
  readonly disasters: Disasters;
  readonly configurations: Configurations;
  readonly network: Network;
  readonly aftermath: Aftermath | undefined;
  readonly storm: Swarm;
  readonly callbackSpeed: number;
  readonly ordersPerMerchant: number;
  readonly deviceCount: number;
  readonly #chance: KeyedChance;
  #swarm: Swarm;

  private constructor(
    readonly settings: WorldSettings,
    readonly disk: MemoryDisk,
    unused: DiskCopy,
  ) {
    const { time } = this;
    const chance = new KeyedChance(settings.seed);
    this.#chance = chance;
    const isUnreliable = hasUnreliableGates(chance);
    this.storm = settings.swarm ?? swarmOf(chance, isUnreliable);
    this.#swarm = this.storm;
    this.ordersPerMerchant = settings.ordersPerMerchant ?? chance.pick(ORDERS_OF_SHOP, 'world.orders');
    this.deviceCount = settings.devices ?? (isUnreliable ? DEVICES_MAX : chance.pick(DEVICES, 'world.devices'));
    const roles = settings.instances ?? (chance.happens(ALONE_SHARE, 'world.alone') ? ONE_INSTANCE : TWO_INSTANCES);
    this.gates = GATES.map(
      (alias, at) => new GateActor(alias as GateAlias, time, time, chance, () => this.#swarm.gate, roles.length === 1, BigInt(at + 1)),
    );
    this.aftermath = chance.happens(AFTERMATH_SHARE, 'world.has-aftermath') ? chance.pick(AFTERMATHS, 'world.aftermath') : undefined;
    this.callbackSpeed = chance.happens(OUTLASTING_SHARE, 'world.outlasts-callbacks') ? OUTLASTING_SPEED : 1;
    this.configurations = new Configurations(chance, this.storm.configuration, this.callbackSpeed);
    const network = new Network({
      time,
      chance,
      faults: () => this.#swarm.network,
      serving: (origin) => this.instances.servingAt(origin),
    });
    const neverTakes = this.callbackSpeed === 1 ? 0 : NEVER_TAKES_SHARE;
    const hasBurst = chance.happens(BURST_SHARE, 'world.has-burst');
    const shop = { time, chance, network, faults: () => this.#swarm.merchant, neverTakes };
    this.merchants = CONTROL_KEYS.map(
      (_, at) =>
        new MerchantActor({
          ...shop,
          login: `shop-${at}`,
          chargesOfCard: hasBurst ? BURST : chance.pick(CHARGES_OF_CARD, 'merchant.charges-of-card', `shop-${at}`),
          controlKeys: () => this.configurations.controlKeysOf(at),
          endpointId: `10${at}1`,
        }),
    );
    const payer = new PayerActor({ chance, network, leaves: () => this.#swarm.merchant.payerLeaves });
    this.backOffice = new BackOffice({ time, chance, network, payer });
    this.devices = new DeviceActor({ time, chance, network, merchantUrl: MERCHANT_SERVER_ORIGIN, payer, backOffice: this.backOffice });
    this.network = network;
    const [robbed, thief] = this.merchants;
    if (robbed === undefined || thief === undefined) throw new Error('a world has two shops');
    this.thief = new CardThief({ ...thief.settings, leaked: () => robbed.cardRefs });
    this.eavesdropper = new Eavesdropper({ time, chance, network, login: robbed.login, endpointId: robbed.settings.endpointId });
    const { gates, merchants, log, merchantServerLog, vault } = this;
    const port = new OperatorPort({ time, chance, processes: () => this.processes });
    this.operators = new OperatorActor({ time, chance, port, gates, merchants, actions: () => this.#swarm.operators });
    this.onCall = new OnCallActor({
      time,
      chance,
      port,
      actions: () => this.#swarm.onCall,
      isRolledOut: () => this.#isRolledOut,
    });
    const { hasApprovals } = this.configurations;
    this.approvals = new ApprovalActor({ time, chance, port, merchants, hasApprovals, actions: () => this.#swarm.operators });
    this.rebuilder = new Rebuilder({ log, disk, time, chance, rebuilds: this.storm.operators.rebuilds });
    const stores = { log, merchantServerLog, vault, disk, keys: new KeyRotation(keyRingOf(chance), chance) };
    const configured = { configuration: (name: string) => this.configurations.fileOf(name), products: productsOfWorld() };
    const shared = { time, chance, swarm: () => this.#swarm, gates, merchants, network, ...stores, ...configured };
    this.instances = new Instances(shared, roles, settings.partitions ?? partitionsOf(roles, chance));
    this.disasters = new Disasters({ ...shared, unused, instances: this.instances, rebuilder: this.rebuilder });
  }

  static async create(settings: WorldSettings): Promise<World> {
    const disk = await MemoryDisk.create();
    const unused = disk.copy();
    if (!new KeyedChance(settings.seed).happens(UNBUILT_SHARE, 'world.is-unbuilt')) disk.restore(await builtDisk());
    return new World(settings, disk, unused);
  }

  get happened(): ReadonlyMap<string, number> {
    return this.#chance.happened;
  }

  get processes(): readonly VirtualProcess[] {
    return this.instances.running;
  }

  /** Running processes that have another configuration than the newest. */
  get outdatedProcesses(): readonly VirtualProcess[] {
    return this.processes.filter(({ configuration }) => !this.configurations.isNewest(configuration));
  }

  /** Each instance runs with the newest configuration, and its next process reads that. */
  get #isRolledOut(): boolean {
    const { processes, outdatedProcesses, configurations, instances } = this;
    return !configurations.isLagging && processes.length === instances.orchestratorCount && outdatedProcesses.length === 0;
  }

  /** The storm, and then quiet until everything is at rest or the limit has passed. */
  async run(): Promise<void> {
    this.instances.begin(STORM_MS);
    this.disasters.begin(STORM_MS);
    for (const merchant of this.merchants) merchant.begin(this.ordersPerMerchant, STORM_MS * ORDERS_BEGIN_WITHIN);
    this.devices.begin(this.deviceCount, STORM_MS * ORDERS_BEGIN_WITHIN);
    this.thief.begin(STORM_MS * ORDERS_BEGIN_WITHIN);
    this.eavesdropper.begin(STORM_MS * ORDERS_BEGIN_WITHIN);
    this.operators.begin(STORM_MS);
    this.onCall.begin(STORM_MS * HOLDS_WITHIN);
    this.approvals.begin(STORM_MS);
    this.rebuilder.begin(STORM_MS);
    this.#changeConfiguration(STORM_MS);
    await this.time.advance(STORM_MS);
    if (this.configurations.isGateGone) {
      this.configurations.restoreGates();
      this.instances.roll('all gates again');
    }
    this.#swarm = { ...HEALTHY, gate: { ...HEALTHY.gate, declines: this.#swarm.gate.declines } };
    const model = readModelOver(this, this.disk);
    for (let restedMs = 0; restedMs < REST_LIMIT_MS && !(await this.#isAtRest(model)); restedMs += SETTLE_STEP_MS)
      await this.time.advance(SETTLE_STEP_MS);
    await model.close();
    // The clock jumps over the wait, during which only idle polling would happen.
    this.time.jump(OWNERLESS_KEPT_MS + this.instances.setBackMs);
    await this.time.advance(SWEEP_GAP_MS);
  }

  remove(): void {
    this.instances.end();
    this.disk.remove();
  }

  /** Each instance restarts some time after the change, or takes it while it runs, so that two versions run together for a while. */
  #changeConfiguration(withinMs: number): void {
    for (const moment of CHANGES) {
      if (!this.#chance.happens(this.storm.configuration.changes, 'configuration.changes', moment)) continue;
      this.time.after(this.#chance.between(0, withinMs * ORDERS_BEGIN_WITHIN, 'configuration.changes-at', moment), () => {
        if (this.#chance.happens(this.storm.configuration.applied, 'configuration.applied', moment)) return this.#applyConfiguration();
        this.configurations.change();
        this.instances.roll(moment);
      });
    }
  }

  #applyConfiguration(): void {
    const catchUp = this.configurations.changeWhileRunning(this.instances.orchestratorNames);
    if (catchUp !== undefined) this.time.after(this.#chance.between(1, LAGS_MS_MAX, 'configuration.lags-ms'), catchUp);
    void this.onCall.apply();
  }

  async #isAtRest(model: ReadModel): Promise<boolean> {
    if (![...this.merchants, this.devices, this.onCall].every(({ isAtRest }) => isAtRest)) return false;
    return (await openWorkSeenBy(model, this.time)).length === 0;
  }
}
