import { createSecretKey } from 'node:crypto';
import { VaultUnavailable, type KeyRing } from '@app/card-vault';
import { MemoryVault } from '@app/card-vault/testing';
import { configurationFrom, productsOf, type Configuration, type Products } from '@app/configuration';
import { EGRESS_DEADLINE_MS, type Egress, type EgressOutcome, type EgressRequest } from '@app/egress';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { Gates } from '@app/gateway-adapters/contract';
import { GATE_ADAPTERS, type ConfiguredGate } from '@app/gateway-adapters/registry';
import { addMs, Secret, type BootId, type Currency, type EndpointId, type GateAlias, type MerchantLogin } from '@app/kernel';
import { MemoryDisk } from '@app/projections/testing';
import { VirtualClock } from '@app/testing';
import { DeviceActor } from './device-actor';
import { faultyStore } from './faulty-store';
import { GateActor, LONGEST_FLIGHT_MS } from './gate-actor';
import { KeyedChance } from './keyed-chance';
import { Life } from './life';
import { MerchantActor } from './merchant-actor';
import { MerchantServerProcess } from './merchant-server-process';
import { openWorkOf } from './stores';
import { ConnectionLost, Network, PUBLIC_ORIGIN, type Serving } from './network';
import { HEALTHY, swarmOf, type Swarm } from './swarm';
import { VirtualProcess } from './virtual-process';

const KEY_BYTES = 32;
const RESTART_MS_MAX = 20_000;
/** A process that does not project tries to, and looks for due work, each second; in a world it does so less often, since that is most of what it costs. */
const OWNERSHIP_TRIES_STRETCHED = 5;
const HOUR_MS = 3_600_000;
/** Clocks of instances are apart by less than the margin of a gate's longest flight, which operators are told to keep. */
const CLOCK_ERROR_MS_MAX = 14_000;
const PAUSE_MS_MAX = 45_000;
const SETTLE_STEP_MS = 30_000;
/** Longer than any order may take once nothing fails: the longest flight, the inquiries, the payer's time. */
const REST_LIMIT_MS = 6 * HOUR_MS;
/** A card without an owner is kept for a quarter of an hour, and looked for each minute. */
const OWNERLESS_KEPT_MS = 16 * 60_000;
const SWEEP_GAP_MS = 130_000;
const CONTROL_KEYS = ['B17F59B4-A7DC-41B4-8FF9-37D986B43D20', '7E3A4D1C-0B0E-4E4A-9D59-0F6C2C1B5A77'] as const;

type Roles = readonly ('api' | 'worker')[];
/** The merchant whose apps order from devices, and its own server. */
const APP_MERCHANT = { login: 'app', controlKey: '5D0C3B1A-27E4-4D36-8C59-7A1F20B9E6C4', endpointId: '2001' } as const;
const MERCHANT_SERVER_ORIGIN = 'https://app.world.example';

export interface WorldSettings {
  readonly seed: number;
  /** Drawn from the seed where it is absent. */
  readonly swarm?: Swarm;
  readonly ordersPerMerchant?: number;
  /** Each orders once; none where it is absent. */
  readonly devices?: number;
  /** For how long orders begin and faults happen. */
  readonly stormMs?: number;
  /** The roles of each instance. */
  readonly instances?: readonly Roles[];
}

/** One instance of an installation: the machine that goes on while its processes come and go. */
interface Instance {
  readonly name: string;
  /** Which program it runs. */
  readonly program: 'orchestrator' | 'merchant-server';
  readonly roles: Roles;
  starts: number;
  clockErrorMs: number;
  process: Serving | undefined;
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
      merchants: [
        ...CONTROL_KEYS.map((controlKey, at) => ({
          login: `shop-${at}`,
          controlKey,
          endpoints: [{ id: `10${at}1`, currency: 'USD', gates: ['gate-a', 'gate-b'] }],
        })),
        {
          login: APP_MERCHANT.login,
          controlKey: APP_MERCHANT.controlKey,
          merchantUrl: MERCHANT_SERVER_ORIGIN,
          endpoints: [{ id: APP_MERCHANT.endpointId, currency: 'USD', gates: ['gate-a', 'gate-b'] }],
        },
      ],
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

const productsOfWorld = (): Products =>
  productsOf([
    {
      login: APP_MERCHANT.login as MerchantLogin,
      controlKey: new Secret(APP_MERCHANT.controlKey),
      endpoints: [{ id: APP_MERCHANT.endpointId as EndpointId, currency: 'USD' as Currency, operations: 'all' }],
      rates: [],
    },
  ]);

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
  /** Of the merchant server, which keeps its own. */
  readonly merchantServerLog = new MemoryEventStore(this.time);
  readonly vault = new MemoryVault();
  readonly gates: readonly GateActor[];
  readonly merchants: readonly MerchantActor[];
  readonly devices: DeviceActor;
  /** What processes reported as failures, by the line's event. */
  readonly lines: { readonly instance: string; readonly event: string; readonly error: unknown }[] = [];
  readonly configuration = configurationOf();
  readonly #products = productsOfWorld();
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
  readonly #network: Network;
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
    const fresh = { starts: 0, clockErrorMs: 0, process: undefined } as const;
    this.#instances = [
      ...instances.map((roles, at) => ({ ...fresh, name: `i${at}`, program: 'orchestrator' as const, roles })),
      ...['m0', 'm1'].map((name) => ({ ...fresh, name, program: 'merchant-server' as const, roles: ['api'] as const })),
    ];
    this.gates = ['gate-a', 'gate-b'].map(
      (alias) => new GateActor(alias as GateAlias, this.time, this.time, this.#chance, () => this.#swarm.gate),
    );
    this.#network = new Network({
      time: this.time,
      chance: this.#chance,
      faults: () => this.#swarm.network,
      serving: (origin) => this.#servingAt(origin),
    });
    this.merchants = CONTROL_KEYS.map(
      (controlKey, at) =>
        new MerchantActor({
          time: this.time,
          chance: this.#chance,
          network: this.#network,
          faults: () => this.#swarm.merchant,
          login: `shop-${at}`,
          controlKey,
          endpointId: `10${at}1`,
        }),
    );
    this.devices = new DeviceActor({ time: this.time, chance: this.#chance, network: this.#network, merchantUrl: MERCHANT_SERVER_ORIGIN });
  }

  #servingAt(origin: string): readonly Serving[] {
    const program = origin === PUBLIC_ORIGIN ? 'orchestrator' : 'merchant-server';
    return this.#instances.flatMap(({ program: own, process, roles }) =>
      own === program && process !== undefined && roles.includes('api') ? [process] : [],
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
    return this.#instances.flatMap(({ process }) => (process instanceof VirtualProcess && !process.life.hasEnded ? [process] : []));
  }

  /** The storm, and then quiet until everything has come to rest or the limit has passed. */
  async run(): Promise<void> {
    const { ordersPerMerchant = 15, devices = 0, stormMs = 10 * 60_000 } = this.settings;
    for (const instance of this.#instances) this.#start(instance);
    for (const instance of this.#instances) this.#disturb(instance);
    for (const merchant of this.merchants) merchant.begin(ordersPerMerchant, stormMs * 0.8);
    this.devices.begin(devices, stormMs * 0.8);
    await this.time.advance(stormMs);
    this.#swarm = { ...HEALTHY, gate: { ...HEALTHY.gate, declines: this.#swarm.gate.declines } };
    for (let restedMs = 0; restedMs < REST_LIMIT_MS && !(await this.#isAtRest()); restedMs += SETTLE_STEP_MS)
      await this.time.advance(SETTLE_STEP_MS);
    // The clock is set forward over the wait, in which nothing but idle looks would happen.
    this.time.jump(OWNERLESS_KEPT_MS);
    await this.time.advance(SWEEP_GAP_MS);
  }

  remove(): void {
    for (const { process } of this.#instances) process?.life.end();
    this.disk.remove();
  }

  async #isAtRest(): Promise<boolean> {
    if (![...this.merchants, this.devices].every(({ isAtRest }) => isAtRest)) return false;
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
    const chance = this.#chance;
    const database = this.disk.open({
      scheduler: { after: (ms, run) => life.after(ms * OWNERSHIP_TRIES_STRETCHED, run) },
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
      egress: this.#egressOf(life),
      roles: new Set(instance.roles),
      configuration: this.configuration,
      onLine: (event, error) => void this.lines.push({ instance: name, event, error }),
    });
  }

  #merchantServer(instance: Instance, name: string, life: Life): Promise<Serving> {
    const chance = this.#chance;
    return Promise.resolve(
      new MerchantServerProcess({
        life,
        products: this.#products,
        log: faultyStore({ log: this.merchantServerLog, life, faults: () => this.#swarm.store, chance, scheduler: this.time }),
        keyRing: this.#keyRing,
        clock: { now: () => addMs(this.time.now(), instance.clockErrorMs) },
        ids: idsOf(chance, name),
        random: chance.randomOf(name),
        onLine: (event, error) => void this.lines.push({ instance: name, event, error }),
      }),
    );
  }

  /** The ways out of one process: to the shops' servers for callbacks, and to the merchant server. */
  #egressOf(life: Life): Egress {
    const merchantOf = (url: string): MerchantActor | undefined =>
      this.merchants.find(({ login }) => new URL(url).host === `${login}.example`);
    return {
      send: (request) => life.call('egress', () => merchantOf(request.url)?.egress.send(request) ?? this.#sentToMerchantServer(request)),
      close: () => Promise.resolve(),
    };
  }

  async #sentToMerchantServer({
    url,
    query,
    method,
    headers,
    body,
    deadlineMs = EGRESS_DEADLINE_MS,
  }: EgressRequest): Promise<EgressOutcome> {
    const late = new Promise<EgressOutcome>((resolve) => void this.time.after(deadlineMs, () => resolve({ kind: 'timed-out' })));
    const asked = this.#network
      .send(query === undefined ? url : `${url}?${query}`, { method, headers, body: body ?? '' })
      .then(({ status, body: answer }): EgressOutcome => ({ kind: 'answered', status, body: answer }))
      .catch((error: unknown): EgressOutcome => {
        if (!(error instanceof ConnectionLost)) throw error;
        return { kind: 'connection-failed', code: 'ECONNRESET' };
      });
    return Promise.race([asked, late]);
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
