import { createSecretKey } from 'node:crypto';
import { VaultUnavailable, type KeyRing } from '@app/card-vault';
import { MemoryVault } from '@app/card-vault/testing';
import { configurationFrom, type Configuration } from '@app/configuration';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { Gates } from '@app/gateway-adapters/contract';
import { GATE_ADAPTERS, type ConfiguredGate } from '@app/gateway-adapters/registry';
import type { BootId, GateAlias } from '@app/kernel';
import { MemoryDisk } from '@app/projections/testing';
import { VirtualClock } from '@app/testing';
import { faultyStore } from './faulty-store';
import { GateActor, LONGEST_FLIGHT_MS } from './gate-actor';
import { KeyedChance } from './keyed-chance';
import { Life } from './life';
import { MerchantActor } from './merchant-actor';
import { openWorkOf } from './stores';
import { Network, PUBLIC_ORIGIN } from './network';
import { HEALTHY, swarmOf, type Swarm } from './swarm';
import { VirtualProcess } from './virtual-process';

const KEY_BYTES = 32;
const RESTART_MS_MAX = 20_000;
const HOUR_MS = 3_600_000;
/** Clocks of instances are apart by less than the margin of a gate's longest flight, which operators are told to keep. */
const CLOCK_ERROR_MS_MAX = 14_000;
const PAUSE_MS_MAX = 45_000;
const SETTLE_STEP_MS = 30_000;
/** Longer than any order may take once nothing fails: the longest flight, the inquiries, the payer's time. */
const REST_LIMIT_MS = 6 * HOUR_MS;
/** After this long no card is without an owner: those that were kept for nothing are swept. */
const SWEPT_MS = 20 * 60_000;
const CONTROL_KEYS = ['B17F59B4-A7DC-41B4-8FF9-37D986B43D20', '7E3A4D1C-0B0E-4E4A-9D59-0F6C2C1B5A77'] as const;

type Roles = readonly ('api' | 'worker')[];

export interface WorldSettings {
  readonly seed: number;
  /** Drawn from the seed where it is absent. */
  readonly swarm?: Swarm;
  readonly ordersPerMerchant?: number;
  /** For how long orders begin and faults happen. */
  readonly stormMs?: number;
  /** The roles of each instance. */
  readonly instances?: readonly Roles[];
}

/** One instance of an installation: the machine that goes on while its processes come and go. */
interface Instance {
  readonly name: string;
  readonly roles: Roles;
  starts: number;
  clockErrorMs: number;
  process: VirtualProcess | undefined;
}

const keyOf = (chance: KeyedChance, name: string) => createSecretKey(Buffer.from(chance.randomOf(`key ${name}`).bytes(KEY_BYTES)));

const keyRingOf = (chance: KeyedChance): KeyRing => ({
  primaryKekId: 1,
  keks: new Map([[1, keyOf(chance, 'kek')]]),
  indexKeys: [{ id: 1, key: keyOf(chance, 'index') }],
  serviceKey: keyOf(chance, 'service'),
  retired: new Set(),
});

const configurationOf = (): Configuration<ConfiguredGate> =>
  configurationFrom(
    JSON.stringify({
      publicBaseUrl: PUBLIC_ORIGIN,
      // A numeric id is a shuffle of a counter by AES, which would be half of what a world costs.
      orderIds: 'text',
      merchants: CONTROL_KEYS.map((controlKey, at) => ({
        login: `shop-${at}`,
        controlKey,
        endpoints: [{ id: `10${at}1`, currency: 'USD', gates: ['gate-a', 'gate-b'] }],
      })),
      gates: ['gate-a', 'gate-b'].map((alias) => ({
        alias,
        adapter: 'simulator',
        currencies: ['USD'],
        threeDSecure: true,
        longestFlightSeconds: LONGEST_FLIGHT_MS / 1_000,
      })),
    }),
    { source: 'the world', folder: '/', environment: {}, adapters: GATE_ADAPTERS },
  );

/** Ids that repeat with the seed, whatever other processes draw. */
const idsOf = (chance: KeyedChance, name: string) => {
  const random = chance.randomOf(`ids ${name}`);
  return {
    next: (): string => {
      const hex = Buffer.from(random.bytes(16)).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
};

/**
 * An installation in a seed: two merchants, two gates, instances of the service over one log, one vault and one read-model database, and every fault that
 * the swarm of the seed names. Nothing of it uses real time, sockets, files or chance.
 */
export class World {
  readonly time = new VirtualClock();
  readonly log = new MemoryEventStore(this.time);
  readonly vault = new MemoryVault();
  readonly gates: readonly GateActor[];
  readonly merchants: readonly MerchantActor[];
  /** What processes reported as failures, by the line's event. */
  readonly lines: { readonly instance: string; readonly event: string; readonly error: unknown }[] = [];
  readonly configuration = configurationOf();
  /** Errors that no process may throw at its start but for a store that is away. */
  readonly startFailures: unknown[] = [];
  deaths = 0;
  /** Where a process ended: the call of a port or the timer, and whether before or after it. */
  readonly diedAt = new Set<string>();
  /** The faults while it storms. */
  readonly storm: Swarm;
  readonly #chance: KeyedChance;
  readonly #keyRing: KeyRing;
  readonly #instances: readonly Instance[];
  #swarm: Swarm;

  private constructor(
    readonly settings: WorldSettings,
    readonly disk: MemoryDisk,
  ) {
    this.#chance = new KeyedChance(settings.seed);
    this.#keyRing = keyRingOf(this.#chance);
    this.storm = settings.swarm ?? swarmOf(this.#chance);
    this.#swarm = this.storm;
    const instances: readonly Roles[] = settings.instances ?? [
      ['api', 'worker'],
      ['api', 'worker'],
    ];
    this.#instances = instances.map((roles, at) => ({ name: `i${at}`, roles, starts: 0, clockErrorMs: 0, process: undefined }));
    this.gates = ['gate-a', 'gate-b'].map(
      (alias) => new GateActor(alias as GateAlias, this.time, this.time, this.#chance, () => this.#swarm.gate),
    );
    const network = new Network({
      time: this.time,
      chance: this.#chance,
      faults: () => this.#swarm.network,
      serving: () => this.#instances.flatMap(({ process, roles }) => (process !== undefined && roles.includes('api') ? [process] : [])),
    });
    this.merchants = CONTROL_KEYS.map(
      (controlKey, at) =>
        new MerchantActor({
          time: this.time,
          chance: this.#chance,
          network,
          faults: () => this.#swarm.merchant,
          login: `shop-${at}`,
          controlKey,
          endpointId: `10${at}1`,
        }),
    );
  }

  static async create(settings: WorldSettings): Promise<World> {
    return new World(settings, await MemoryDisk.create());
  }

  /** The sites of chance at which something happened. */
  get happened(): ReadonlySet<string> {
    return this.#chance.happened;
  }

  get swarm(): Swarm {
    return this.#swarm;
  }

  get processes(): readonly VirtualProcess[] {
    return this.#instances.flatMap(({ process }) => (process === undefined || process.life.hasEnded ? [] : [process]));
  }

  /** The storm, and then quiet until everything has come to rest or the limit has passed. */
  async run(): Promise<void> {
    const { ordersPerMerchant = 15, stormMs = 10 * 60_000 } = this.settings;
    for (const instance of this.#instances) this.#start(instance);
    for (const instance of this.#instances) this.#disturb(instance);
    for (const merchant of this.merchants) merchant.begin(ordersPerMerchant, stormMs * 0.8);
    await this.time.advance(stormMs);
    this.#swarm = { ...HEALTHY, gate: { ...HEALTHY.gate, declines: this.#swarm.gate.declines } };
    for (let restedMs = 0; restedMs < REST_LIMIT_MS && !(await this.#isAtRest()); restedMs += SETTLE_STEP_MS)
      await this.time.advance(SETTLE_STEP_MS);
    if (this.vault.ownerless.size > 0) await this.time.advance(SWEPT_MS);
  }

  remove(): void {
    for (const { process } of this.#instances) process?.life.end();
    this.disk.remove();
  }

  async #isAtRest(): Promise<boolean> {
    if (!this.merchants.every(({ isAtRest }) => isAtRest)) return false;
    return (await openWorkOf(this)).length === 0;
  }

  /** Starts a process of the instance, and another one when that has ended or could not start. */
  #start(instance: Instance): void {
    instance.starts++;
    const name = `${instance.name}.${instance.starts}`;
    const life = new Life(this.time, (site, when) => this.#dies(name, `${site} ${when}`));
    life.onEnd(() => {
      this.deaths++;
      instance.process = undefined;
      this.time.after(this.#chance.between(100, RESTART_MS_MAX, 'instance.restart', instance.name), () => this.#start(instance));
    });
    this.#process(instance, name, life).then(
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
    const chance = this.#chance;
    const database = this.disk.open({
      scheduler: { after: (ms, run) => life.after(ms, run) },
      interrupt: (kind, when) => this.#interrupt(life, kind, when),
    });
    life.onEnd(() => database.end());
    return VirtualProcess.start({
      life,
      time: this.time,
      clockErrorMs: () => instance.clockErrorMs,
      bootId: `boot-${name}` as BootId,
      ids: idsOf(chance, name),
      random: chance.randomOf(name),
      log: faultyStore({ log: this.log, life, faults: () => this.#swarm.store, chance, scheduler: this.time }),
      vault: this.vault,
      vaultFault: (site) => this.#vaultFault(site),
      keyRing: this.#keyRing,
      database,
      gates: this.#gatesFor(life),
      egress: {
        send: (request) => {
          const merchant = this.merchants.find(({ login }) => new URL(request.url).host === `${login}.example`);
          if (merchant === undefined) throw new Error(`the world has nothing at ${request.url}`);
          return life.call('egress', () => merchant.egress.send(request));
        },
        close: () => Promise.resolve(),
      },
      roles: new Set(instance.roles),
      configuration: this.configuration,
      onLine: (event, error) => void this.lines.push({ instance: name, event, error }),
    });
  }

  #gatesFor(life: Life): Gates {
    const gates = new Map(this.gates.map((actor) => [actor.profile.alias, guarded(actor, life)]));
    return {
      find: (alias) => gates.get(alias),
      gate: (alias) => {
        const gate = gates.get(alias);
        if (gate === undefined) throw new Error(`no gate is configured as ${alias}`);
        return gate;
      },
    };
  }

  #dies(process: string, site: string): boolean {
    const dies = this.#chance.happens(this.#swarm.process.dies, 'process.dies', `${process} ${site}`);
    if (dies) this.diedAt.add(site);
    return dies;
  }

  #interrupt(life: Life, kind: string, when: 'before' | 'after'): void {
    if (life.hasEnded) return;
    const { refused, commitLost } = this.#swarm.database;
    const isFault = when === 'before' ? this.#chance.happens(refused, 'database.refused', kind) : kind === 'commit' && this.#chance.happens(commitLost, 'database.lost'); // prettier-ignore
    if (isFault) throw new Error('the database is away');
  }

  #vaultFault(when: 'before' | 'after'): void {
    const { refused, answerLost } = this.#swarm.vault;
    if (this.#chance.happens(when === 'before' ? refused : answerLost, `vault.${when}`)) throw new VaultUnavailable('the vault is away');
  }

  /** Pauses and wrong clocks of one instance, while the storm lasts. */
  #disturb(instance: Instance): void {
    const gapMs = this.#chance.between(10_000, 120_000, 'instance.disturbed', instance.name);
    this.time.after(gapMs, () => {
      const { pauses, clockJumps } = this.#swarm.process;
      const share = gapMs / HOUR_MS;
      if (this.#chance.happens(pauses * share, 'instance.pauses', instance.name)) this.#pause(instance);
      if (this.#chance.happens(clockJumps * share, 'instance.jumps', instance.name))
        instance.clockErrorMs = this.#chance.between(-CLOCK_ERROR_MS_MAX, CLOCK_ERROR_MS_MAX, 'instance.jump-ms', instance.name);
      if (this.#swarm.process === HEALTHY.process) instance.clockErrorMs = 0;
      else this.#disturb(instance);
    });
  }

  #pause({ name, process }: Instance): void {
    process?.life.pause();
    this.time.after(this.#chance.between(100, PAUSE_MS_MAX, 'instance.pause-ms', name), () => process?.life.resume());
  }
}

const guarded = (actor: GateActor, life: Life) => {
  const { profile, ...capabilities } = actor.asGate();
  const asked = Object.entries(capabilities).map(([name, capability]) => [
    name,
    life.guard(`gate.${name}`, capability as unknown as Record<string, unknown>, ['voidableUntil']),
  ]);
  return { profile, ...Object.fromEntries(asked) } as ReturnType<GateActor['asGate']>;
};
