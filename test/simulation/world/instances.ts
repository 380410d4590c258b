import type { MemoryVault } from '@app/card-vault/testing';
import type { Configuration, Products } from '@app/configuration';
import type { EventStore } from '@app/event-store';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { addMs, type BootId } from '@app/kernel';
import type { NewOrderHold } from '@app/orders';
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
/** A process that does not project tries to each second. A run does this less often, because it would be most of its cost. */
const OWNERSHIP_TRIES_STRETCHED = 5;
const HOUR_MS = 3_600_000;
const SET_BACK_HOURS_MAX = 12;
const ROLL_MS_MAX = 90_000;
/** A death around a rare call is worth more than one around a timer; timers are hundreds of times as frequent. */
const DEADLIER: readonly (readonly [call: RegExp, times: number])[] = [
  [/^gate\.(authorising|capturing|payerAuthentication|quoting|returning|transferring|voiding)\./, 150],
  [/^(gate\.|egress )/, 40],
];
const deadlierAt = (site: string): number => DEADLIER.find(([call]) => call.test(site))?.[1] ?? 1;

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
  /** The file of an instance. */
  readonly configuration: (instance: string) => Configuration<ConfiguredGate>;
  readonly products: Products;
}

export class Instances {
  readonly lines: { readonly atMs: number; readonly instance: string; readonly event: string; readonly error: unknown }[] = [];
  /** Errors that no process may throw at its start; unavailable stores are allowed. */
  readonly startFailures: unknown[] = [];
  readonly diedAt = new Set<string>();
  deaths = 0;
  lastDeathMs = -Infinity;
  readonly looks = new Looks();
  /** By the id of an `OrderAccepted`: what its process held before it was routed. */
  readonly acceptedUnder = new Map<string, readonly NewOrderHold[]>();
  setBackMs = 0;
  leaderlessUntilMs = 0;
  readonly #all: readonly Instance[];
  readonly #ways: WaysOut;
  readonly #unseen: UnseenEnds = new Map();
  readonly #unseenOfMerchantServer: UnseenEnds = new Map();
  readonly #isShared: boolean;
  readonly #faults: PortFaults;

  constructor(
    private readonly shared: Shared,
    roles: readonly Roles[],
    /** The read models are divided into these parts, assigned to instances in turn. */
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

  get running(): readonly VirtualProcess[] {
    return this.#all.flatMap(({ process }) => (process instanceof VirtualProcess && !process.life.hasEnded ? [process] : []));
  }

  get orchestratorNames(): readonly string[] {
    return this.#all.flatMap(({ program, name }) => (program === 'orchestrator' ? [name] : []));
  }

  get orchestratorCount(): number {
    return this.orchestratorNames.length;
  }

  get line(): MerchantServerLine {
    return this.#ways.line;
  }

  servingAt(origin: string): readonly Serving[] {
    const program = origin === PUBLIC_ORIGIN ? 'orchestrator' : 'merchant-server';
    return this.#all.flatMap(({ program: own, process, roles }) =>
      own === program && process !== undefined && roles.includes('api') ? [process] : [],
    );
  }

  /**
   * @param withinMs time during which one-off faults happen
   */
  begin(withinMs: number): void {
    this.#faults.begin();
    for (const instance of this.#all) this.start(instance);
    for (const instance of this.#all) disturb(instance, this.shared);
    this.#setClocksBack(withinMs);
  }

  /** Sets all wall clocks back together, against monotonic time and other machines. */
  #setClocksBack(withinMs: number): void {
    const { chance, time, swarm } = this.shared;
    if (!chance.happens(swarm().process.clocksSetBack, 'clocks.set-back')) return;
    const setBackMs = chance.between(1, SET_BACK_HOURS_MAX, 'clocks.set-back-hours') * HOUR_MS;
    time.after(chance.between(0, withinMs, 'clocks.set-back-ms'), () => (this.setBackMs = setBackMs));
  }

  /** Restarts each orchestrator instance, one after another, even one that is still starting. */
  roll(occasion: string): void {
    for (const instance of this.#all) {
      if (instance.program !== 'orchestrator') continue;
      const afterMs = this.shared.chance.between(0, ROLL_MS_MAX, 'instance.rolls', `${instance.name} ${occasion}`);
      this.shared.time.after(afterMs, () => instance.life?.end());
    }
  }

  endAll(whileNoneRuns: () => void): void {
    for (const { program, life } of this.#all) if (program === 'orchestrator') life?.end();
    whileNoneRuns();
  }

  endEach(occasion: string, withinMs: number): void {
    for (const instance of this.#all)
      this.shared.time.after(this.shared.chance.between(0, withinMs, 'instance.ends-ms', `${instance.name} ${occasion}`), () =>
        instance.life?.end(),
      );
  }

  loseOwnership(): void {
    for (const { database } of this.#all) database?.loseOwnership();
  }

  loseOwnershipUntold(): () => void {
    const tellings = this.#all.flatMap(({ database }) => (database === undefined ? [] : [database.loseOwnershipUntold()]));
    return () => {
      for (const tell of tellings) tell();
    };
  }

  end(): void {
    for (const { process } of this.#all) process?.life.end();
  }

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
      log: this.#noting(
        instance,
        faultyStore({
          log: this.shared.log,
          life,
          faults: () => this.shared.swarm().store,
          chance,
          hasLeader: () => this.shared.time.now() >= this.leaderlessUntilMs,
          scheduler: this.shared.time,
          unseen: this.#unseen,
        }),
      ),
      vault: this.shared.vault,
      vaultFault: (when) => this.#faults.vault(when),
      keyRing: this.shared.keys.current,
      database,
      gates: this.#ways.gatesOf(life),
      egress: this.#ways.egress(life),
      roles: new Set(instance.roles),
      partition: instance.partition,
      configuration: this.shared.configuration(instance.name),
      file: () => this.shared.configuration(instance.name),
      onLine: (event, error) => void this.lines.push({ atMs: this.shared.time.now(), instance: name, event, error }),
    });
  }

  /** The first try of an append counts: later ones repeat its events. */
  #noting(instance: Instance, log: EventStore): EventStore {
    const append: EventStore['append'] = (stream, expected, events, limitMs) => {
      const accepted = events.find(({ type }) => type === 'OrderAccepted');
      if (accepted !== undefined && instance.process instanceof VirtualProcess && !this.acceptedUnder.has(accepted.id))
        this.acceptedUnder.set(accepted.id, instance.process.holdsOfRequests);
      return log.append(stream, expected, events, limitMs);
    };
    return { ...log, append };
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
    // Called at every port call and timer, and usually no process dies, so exit early.
    if (dies === 0) return false;
    const site = `${call} ${when}`;
    const rate = dies * deadlierAt(site);
    const isNow = this.shared.chance.happens(rate, 'process.dies', `${process} ${site}`);
    if (isNow) this.diedAt.add(site);
    return isNow;
  }
}
