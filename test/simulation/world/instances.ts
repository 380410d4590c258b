import type { MemoryVault } from '@app/card-vault/testing';
import type { Configuration, Products } from '@app/configuration';
import type { EventStore } from '@app/event-store';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { addMs, type BootId } from '@app/kernel';
import { WHOLE } from '@app/read-models';
import type { MemoryDisk } from '@app/read-models/testing';
import type { VirtualClock } from '@app/testing';
import { faultyStore, type UnseenEnds } from './faulty-store';
import { disturb, idsOf, type Instance, type Roles } from './instance';
import type { KeyRotation } from './key-rotation';
import type { KeyedChance } from './keyed-chance';
import { Life } from './life';
import { MerchantServerProcess } from './merchant-server-process';
import type { MerchantServerLine } from './merchant-server-line';
import { PUBLIC_ORIGIN, type Network, type Serving } from './network';
import { Looks } from './looks';
import { PortFaults } from './port-faults';
import type { Swarm } from './swarm';
import { VirtualProcess } from './virtual-process';
import { WaysOut, type Parties } from './ways-out';

const RESTART_MS_MAX = 20_000;
/** A process that does not project tries to, and looks for due work, each second; in a world it does so less often, since that is most of what it costs. */
const OWNERSHIP_TRIES_STRETCHED = 5;
const HOUR_MS = 3_600_000;
const SET_BACK_HOURS_MAX = 12;
const ROLL_MS_MAX = 90_000;
/** A death around a call of a gate or a merchant is worth more than one around a timer, of which there are hundreds of times as many. */
const CALL_OUT = /^(gate\.|egress )/;
const CALLS_OUT_DEADLIER = 40;

/** What all processes share, and whom they call. */
export interface Shared extends Parties {
  readonly time: VirtualClock;
  readonly network: Network;
  readonly chance: KeyedChance;
  readonly swarm: () => Swarm;
  readonly log: EventStore;
  readonly merchantServerLog: EventStore;
  readonly disk: MemoryDisk;
  readonly vault: MemoryVault;
  readonly keys: KeyRotation;
  /** Of this moment. */
  readonly configuration: () => Configuration<ConfiguredGate>;
  readonly products: Products;
}

/** The instances of both programs: processes that are started, disturbed, killed, and started again. */
export class Instances {
  /** What processes reported as failures, by the line's event. */
  readonly lines: { readonly atMs: number; readonly instance: string; readonly event: string; readonly error: unknown }[] = [];
  /** What no process may throw at its start, but that a store is away. */
  readonly startFailures: unknown[] = [];
  /** Where a process ended: the call of a port or the timer, and whether before or after it. */
  readonly diedAt = new Set<string>();
  deaths = 0;
  /** When the last one ended. */
  lastDeathMs = -Infinity;
  readonly looks = new Looks();
  /** By how much all wall clocks are behind. */
  setBackMs = 0;
  /** Until then the log takes no appends. */
  leaderlessUntilMs = 0;
  readonly #all: readonly Instance[];
  readonly #ways: WaysOut;
  readonly #unseen: UnseenEnds = new Map();
  readonly #unseenOfMerchantServer: UnseenEnds = new Map();
  readonly #isShared: boolean;
  readonly #faults: PortFaults;

  constructor(
    private readonly shared: Shared,
    /** The roles of each instance of the orchestrator. */
    roles: readonly Roles[],
    /** Into which the read models are divided, in turn among these instances. */
    partitions = WHOLE.of,
  ) {
    const fresh = { starts: 0, clockErrorMs: 0, process: undefined, life: undefined, database: undefined } as const;
    this.#all = [
      ...roles.map((own, at) => ({
        ...fresh,
        name: `i${at}`,
        program: 'orchestrator' as const,
        roles: own,
        partition: { number: (at % partitions) + 1, of: partitions },
      })),
      ...['m0', 'm1'].map((name) => ({
        ...fresh,
        name,
        program: 'merchant-server' as const,
        roles: ['api'] as const,
        partition: WHOLE,
      })),
    ];
    this.#isShared = roles.length > 1;
    this.#faults = new PortFaults(shared);
    this.#ways = new WaysOut(shared, { ...shared, faults: () => shared.swarm().line });
  }

  /** The processes of the orchestrator that run. */
  get running(): readonly VirtualProcess[] {
    return this.#all.flatMap(({ process }) => (process instanceof VirtualProcess && !process.life.hasEnded ? [process] : []));
  }

  /** How many instances of the orchestrator there are. */
  get orchestratorCount(): number {
    return this.#all.filter(({ program }) => program === 'orchestrator').length;
  }

  /** Between the service and the merchant server. */
  get line(): MerchantServerLine {
    return this.#ways.line;
  }

  /** Those that serve requests to this origin. */
  servingAt(origin: string): readonly Serving[] {
    const program = origin === PUBLIC_ORIGIN ? 'orchestrator' : 'merchant-server';
    return this.#all.flatMap(({ program: own, process, roles }) =>
      own === program && process !== undefined && roles.includes('api') ? [process] : [],
    );
  }

  /** @param withinMs how long faults happen that are no rates */
  begin(withinMs: number): void {
    this.#faults.begin();
    for (const instance of this.#all) this.start(instance);
    for (const instance of this.#all) disturb(instance, this.shared);
    this.#setClocksBack(withinMs);
  }

  /** Whoever keeps the time of all machines is wrong from now on: their wall clocks go back together, against monotonic time and that of everybody else. */
  #setClocksBack(withinMs: number): void {
    const { chance, time, swarm } = this.shared;
    if (!chance.happens(swarm().process.clocksSetBack, 'clocks.set-back')) return;
    const setBackMs = chance.between(1, SET_BACK_HOURS_MAX, 'clocks.set-back-hours') * HOUR_MS;
    time.after(chance.between(0, withinMs, 'clocks.set-back-ms'), () => (this.setBackMs = setBackMs));
  }

  /** Starts each instance of the orchestrator again, one some time after the other, also one that has not come through its start. */
  roll(occasion: string): void {
    for (const instance of this.#all) {
      if (instance.program !== 'orchestrator') continue;
      const afterMs = this.shared.chance.between(0, ROLL_MS_MAX, 'instance.rolls', `${instance.name} ${occasion}`);
      this.shared.time.after(afterMs, () => instance.life?.end());
    }
  }

  /** Ends all processes of the orchestrator at one moment, and does what can only be done while none runs. */
  endAll(whileNoneRuns: () => void): void {
    for (const { program, life } of this.#all) if (program === 'orchestrator') life?.end();
    whileNoneRuns();
  }

  /** Ends each process of both programs once. */
  endEach(occasion: string, withinMs: number): void {
    for (const instance of this.#all)
      this.shared.time.after(this.shared.chance.between(0, withinMs, 'instance.ends-ms', `${instance.name} ${occasion}`), () =>
        instance.life?.end(),
      );
  }

  loseOwnership(): void {
    for (const { database } of this.#all) database?.loseOwnership();
  }

  /** @returns what tells whoever projected that it may no longer do so */
  loseOwnershipUntold(): () => void {
    const tellings = this.#all.flatMap(({ database }) => (database === undefined ? [] : [database.loseOwnershipUntold()]));
    return () => {
      for (const tell of tellings) tell();
    };
  }

  end(): void {
    for (const { process } of this.#all) process?.life.end();
  }

  /** Starts a process of the instance, and another one when that has ended or could not start. */
  private start(instance: Instance): void {
    instance.starts++;
    const name = `${instance.name}.${instance.starts}`;
    const life = new Life(this.shared.time, (site, when) => this.#dies(name, site, when));
    instance.life = life;
    life.onEnd(() => {
      this.deaths++;
      this.lastDeathMs = this.shared.time.now();
      instance.process = undefined;
      instance.database = undefined;
      this.shared.time.after(this.shared.chance.between(100, RESTART_MS_MAX, 'instance.restart', instance.name), () =>
        this.start(instance),
      );
    });
    const starting = instance.program === 'orchestrator' ? this.#process(instance, name, life) : this.#merchantServer(instance, name, life);
    starting.then(
      (process) => {
        if (!life.hasEnded) instance.process = process;
      },
      (error: unknown) => {
        if (!life.hasEnded) this.startFailures.push(error);
        life.end();
      },
    );
  }

  #process(instance: Instance, name: string, life: Life): Promise<VirtualProcess> {
    const chance = this.shared.chance;
    const database = this.shared.disk.open({
      scheduler: { after: (ms, run) => life.after(ms * OWNERSHIP_TRIES_STRETCHED, run) },
      interrupt: (kind, when) => this.#faults.interrupt(life, kind, when, () => database.loseOwnershipUntold()),
      onRows: (parameters, rows) => this.looks.hear(parameters, rows),
    });
    life.onEnd(() => database.end());
    instance.database = database;
    return VirtualProcess.start({
      life,
      time: this.shared.time,
      clockErrorMs: () => instance.clockErrorMs - this.setBackMs,
      bootId: `boot-${name}` as BootId,
      ids: idsOf(chance, name),
      random: chance.randomOf(name),
      isLogShared: this.#isShared,
      log: faultyStore({
        log: this.shared.log,
        life,
        faults: () => this.shared.swarm().store,
        chance,
        hasLeader: () => this.shared.time.now() >= this.leaderlessUntilMs,
        scheduler: this.shared.time,
        unseen: this.#unseen,
      }),
      vault: this.shared.vault,
      vaultFault: (when) => this.#faults.vault(when),
      keyRing: this.shared.keys.current,
      database,
      gates: this.#ways.gatesOf(life),
      egress: this.#ways.egress(life),
      roles: new Set(instance.roles),
      partition: instance.partition,
      configuration: this.shared.configuration(),
      onLine: (event, error) => void this.lines.push({ atMs: this.shared.time.now(), instance: name, event, error }),
    });
  }

  #merchantServer(instance: Instance, name: string, life: Life): Promise<Serving> {
    const chance = this.shared.chance;
    return Promise.resolve(
      new MerchantServerProcess({
        life,
        products: this.shared.products,
        log: faultyStore({
          log: this.shared.merchantServerLog,
          life,
          faults: () => this.shared.swarm().store,
          chance,
          scheduler: this.shared.time,
          unseen: this.#unseenOfMerchantServer,
        }),
        keyRing: this.shared.keys.current,
        clock: { now: () => addMs(this.shared.time.now(), instance.clockErrorMs - this.setBackMs) },
        ids: idsOf(chance, name),
        random: chance.randomOf(name),
        onLine: (event, error) => void this.lines.push({ atMs: this.shared.time.now(), instance: name, event, error }),
      }),
    );
  }

  #dies(process: string, call: string, when: string): boolean {
    const { dies } = this.shared.swarm().process;
    // Asked at each call and timer of each process, most of the time in a world or a calm in which none dies.
    if (dies === 0) return false;
    const site = `${call} ${when}`;
    const rate = dies * (CALL_OUT.test(site) ? CALLS_OUT_DEADLIER : 1);
    const isNow = this.shared.chance.happens(rate, 'process.dies', `${process} ${site}`);
    if (isNow) this.diedAt.add(site);
    return isNow;
  }
}
