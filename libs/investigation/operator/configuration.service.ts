import { ConfigurationFault, type Configuration, type LiveConfiguration, type Operator } from '@app/configuration';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import {
  afterEffect,
  FollowedStream,
  looksLikeCardNumber,
  readChained,
  runDecision,
  type Actor,
  type EventStore,
  type StreamName,
} from '@app/event-store';
import { addMs, isoInstant, present, type Clock, type Ids, type Instant, type MerchantLogin, type Scheduler } from '@app/kernel';
import type { ProposedConfiguration } from '../approvals';
import {
  appliedConfigurations,
  configurationChangeCodec,
  configurationChangeStream,
  type AppliedConfigurations,
  type ConfigurationApplied,
  type ConfigurationChangeCommand,
  type ConfigurationFollowed,
} from '../record/configuration-change';
import { digestOfCopy, redactedConfiguration } from '../record/configuration-record';
import type { OperatorAudit } from '../record/operator-audit';
import { configurationChanges } from '../words/configuration-changes';
import type { FieldChange, FieldValue } from '../words/fields';
import { act, type ActingOperator, type QueryAudit } from './operator-access';
import { basisOf, hasRulesOf, type WhatIfBasis, type WhatIfForecast, type WhatIfs } from './what-ifs';

/** Name bound into the ciphertext of a reason. */
const APPLY_REASON = 'configuration-reason';
/** The target of the action, in the audit and in proposals. */
export const CONFIGURATION_TARGET = 'configuration';
const NO_MERCHANT = '' as MerchantLogin;
const WHY_LENGTH_MAX = 500;
const CHANGES_MAX = 500;
const RECORDED_VALUE_MAX = 200;
/** A file is tried again after this many times the time of a try, because a try blocks the process. */
const TRY_REST = 20;

/** The file of a process compared with the configuration in force there. */
export interface CheckedConfiguration {
  /** Of the file; absent if it has faults. */
  readonly digest?: string;
  readonly inForce: string;
  /** At most 500, with key ids in place of secrets. Merchants, entry points, gates, rules and operators by their names. */
  readonly changes: readonly FieldChange[];
  readonly changeCount: number;
  /** Why the file cannot be taken without a restart. */
  readonly needsRestart: readonly string[];
  /** Faults of the file, without a value of it. */
  readonly faults: readonly string[];
}

/** Why a what-if is no reason of the change: unknown in this process, without a whole result, or of other rules than the file has. */
type WhatIfRefusal = 'unknown-what-if' | 'unfinished-what-if' | 'what-if-of-other-rules';

export interface ApplyingConfiguration {
  /** `file-changed`: after the check that the request names. `configuration-moved`: another one is in force than the proposer saw. */
  readonly reason: 'applied' | 'in-force' | 'file-changed' | 'configuration-moved' | 'faulty' | 'needs-restart' | WhatIfRefusal;
  readonly checked: CheckedConfiguration;
}

/** The change that a file would make now. */
interface PossibleChange {
  readonly reason: 'possible';
  readonly stream: StreamName;
  /** Of the last applied configuration. */
  readonly revision: bigint | undefined;
  readonly change: ProposedConfiguration;
}

export interface AskedConfiguration {
  /** The digest of an earlier check, if the file must not have changed since. */
  readonly digest?: string;
  /** The digest in force that the proposer of the change saw. */
  readonly inForce?: string;
  /** The what-if that is the reason of the change: its id, or as an earlier proposal recorded it. */
  readonly whatIf?: string | WhatIfBasis;
}

/** The configuration in force here, the last applied one, and the processes that reported since. */
export interface ConfigurationStatus {
  readonly digest: string;
  readonly applied: { readonly digest: string; readonly at: string } | null;
  /** Processes that have ended stay until the next change; `at` shows their age. */
  readonly processes: readonly {
    readonly process: string;
    readonly digest: string;
    readonly outcome: ConfigurationFollowed['data']['outcome'];
    readonly why: string | null;
    readonly at: string;
  }[];
}

/** What a what-if expected of an applied configuration. */
export interface ConfigurationForecast {
  readonly digest: string;
  readonly appliedAt: string;
  /** When the next one was applied; null if none was. */
  readonly replacedAt: string | null;
  readonly whatIfId: string;
  /** SHA-256 of the kept result, hex. */
  readonly whatIfDigest: string;
  readonly expected: WhatIfForecast;
}

interface ConfigurationServicePorts {
  readonly live: LiveConfiguration;
  /** Reads and validates this process's own file. @throws ConfigurationFault */
  readonly load: () => Configuration;
  readonly store: EventStore;
  readonly sealer: OrderSealer;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scheduler: Scheduler;
  readonly bootId: string;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
  readonly questions: Pick<QueryAudit, 'answered'>;
  readonly whatIfs: Pick<WhatIfs, 'find'>;
  readonly onTaken: () => void;
  /** This process stays with its former configuration. */
  readonly onKept: (why: string) => void;
  readonly onError: (error: unknown) => void;
}

const recordedText = (value: string): string => (looksLikeCardNumber(value) ? '[not recorded]' : value.slice(0, RECORDED_VALUE_MAX));

const recordedValue = (value: FieldValue): string | undefined => (value === null ? undefined : recordedText(String(value)));

type Loaded = { readonly next: Configuration; readonly copy: string; readonly digest: string } | { readonly faults: readonly string[] };

/** Lets every process take its file without a restart: all or nothing in a process, and each reports the result. */
export class ConfigurationService {
  readonly #followed: FollowedStream<AppliedConfigurations>;
  #settled: ConfigurationApplied['data'] | undefined;
  #tried: ConfigurationApplied['data'] | undefined;
  #nextTryAt = 0 as Instant;
  #isStarted = false;
  #digest: string | undefined;

  constructor(private readonly ports: ConfigurationServicePorts) {
    this.#followed = new FollowedStream({
      ...ports,
      stream: configurationChangeStream(),
      initial: appliedConfigurations.initial,
      evolve: (state, stored) => appliedConfigurations.evolve(state, configurationChangeCodec.decode(stored)),
      onRead: ({ applied }) => this.#follow(applied),
    });
  }

  start(): Promise<void> {
    return this.#followed.start();
  }

  stop(): void {
    this.#followed.stop();
  }

  /** Of the configuration in force in this process. */
  get digest(): string {
    return (this.#digest ??= digestOfCopy(this.#copy()));
  }

  /** True while this process has another configuration than the last applied one. */
  get differs(): boolean {
    const applied = this.#followed.state?.applied;
    return applied !== undefined && applied.digest !== this.digest;
  }

  status(): ConfigurationStatus {
    const { applied, followed } = this.#followed.state ?? appliedConfigurations.initial;
    return {
      digest: this.digest,
      applied: applied === undefined ? null : { digest: applied.digest, at: new Date(applied.appliedAt).toISOString() },
      processes: [...followed.values()].map(({ followedAt, why, ...report }) => ({
        ...report,
        why: why ?? null,
        at: new Date(followedAt).toISOString(),
      })),
    };
  }

  /** @throws StoreUnavailable if the question cannot be recorded */
  async check(acting: ActingOperator): Promise<CheckedConfiguration> {
    const checked = this.#compared();
    await this.ports.questions.answered(acting, { query: 'check-configuration', question: {}, rows: checked.changes.length });
    return checked;
  }

  /** The change that `apply` would make now, or why it would make none. @throws StoreUnavailable */
  async preview(asked: AskedConfiguration, { operator }: ActingOperator): Promise<PossibleChange | ApplyingConfiguration> {
    await this.#followed.refresh();
    const checked = this.#compared();
    const { digest, inForce, changes, changeCount } = checked;
    const refused = this.#refusalOf(checked, asked);
    if (refused !== undefined || digest === undefined) return { reason: refused ?? 'faulty', checked };
    const whatIf = await this.#basisOf(asked, digest, operator);
    if (typeof whatIf === 'string') return { reason: whatIf, checked };
    const recorded = changes.map(({ field, before, after }) => ({
      field: recordedText(field),
      ...present({ before: recordedValue(before), after: recordedValue(after) }),
    }));
    return {
      reason: 'possible',
      stream: configurationChangeStream(),
      revision: this.#followed.state?.appliedRevision,
      change: { digest, inForce, changes: recorded, changeCount, ...present({ whatIf }) },
    };
  }

  /**
   * @param asked with `inForce`, it is applied only if no other one was applied after the revision `at`
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable
   */
  apply(
    { reason: text, at, ...asked }: AskedConfiguration & { readonly reason: string; readonly at?: bigint },
    acting: ActingOperator,
  ): Promise<ApplyingConfiguration> {
    const about = { action: 'apply-configuration' as const, target: CONFIGURATION_TARGET, done: ['applied' as const] };
    return act(this.ports.audit, acting, about, async (by): Promise<ApplyingConfiguration> => {
      const checked = this.#compared();
      const { digest } = checked;
      const refused = this.#refusalOf(checked, asked);
      if (refused !== undefined || digest === undefined) return { reason: refused ?? 'faulty', checked };
      const whatIf = await this.#basisOf(asked, digest, acting.operator);
      if (typeof whatIf === 'string') return { reason: whatIf, checked };
      const { sealer, clock } = this.ports;
      const reason = (await sealer.takeKey()).seal(NO_MERCHANT, APPLY_REASON, text);
      const after = asked.inForce === undefined ? {} : { after: { revision: at } };
      const rejected = await this.#decide(
        { type: 'ApplyConfiguration', data: { digest, reason, ...after, ...present({ whatIf }), now: clock.now() } },
        by,
      );
      if (rejected) return { reason: 'configuration-moved', checked };
      await afterEffect(() => this.#followed.refresh());
      return { reason: 'applied', checked };
    });
  }

  /** The newest application with a what-if, of this digest if it is given. @throws StoreUnavailable */
  async forecast(digest?: string): Promise<ConfigurationForecast | undefined> {
    let found: ConfigurationForecast | undefined;
    for await (const stored of readChained(this.ports.store, configurationChangeStream())) {
      const event = configurationChangeCodec.decode(stored);
      if (event.type !== 'ConfigurationApplied') continue;
      const { whatIf, appliedAt, ...applied } = event.data;
      const at = isoInstant(appliedAt);
      if (found?.replacedAt === null) found = { ...found, replacedAt: at };
      if (whatIf === undefined || (digest !== undefined && applied.digest !== digest)) continue;
      const expected = JSON.parse(whatIf.totals) as WhatIfForecast;
      found = { digest: applied.digest, appliedAt: at, replacedAt: null, whatIfId: whatIf.id, whatIfDigest: whatIf.digest, expected };
    }
    return found;
  }

  async #basisOf(
    { whatIf }: AskedConfiguration,
    digest: string,
    operator: Operator,
  ): Promise<WhatIfBasis | WhatIfRefusal | 'file-changed' | undefined> {
    if (typeof whatIf !== 'string') return whatIf;
    const json = await this.ports.whatIfs.find(whatIf, operator);
    if (json === undefined) return 'unknown-what-if';
    if (json.state !== 'done' || json.result === null) return 'unfinished-what-if';
    const loaded = this.#loaded();
    if (!('next' in loaded) || loaded.digest !== digest) return 'file-changed';
    return hasRulesOf(json, this.ports.live.current.accounts, loaded.next.accounts) ? basisOf(json) : 'what-if-of-other-rules';
  }

  #refusalOf(
    { digest, needsRestart }: CheckedConfiguration,
    asked: AskedConfiguration,
  ): Exclude<ApplyingConfiguration['reason'], 'applied'> | undefined {
    if (digest === undefined) return 'faulty';
    if (asked.digest !== undefined && asked.digest !== digest) return 'file-changed';
    if (asked.inForce !== undefined && asked.inForce !== this.digest) return 'configuration-moved';
    if (needsRestart.length > 0) return 'needs-restart';
    const processes = [...(this.#followed.state?.followed.values() ?? [])];
    return digest === this.digest && processes.every((process) => process.digest === digest) ? 'in-force' : undefined;
  }

  #compared(): CheckedConfiguration {
    const loaded = this.#loaded();
    const inForce = this.digest;
    if ('faults' in loaded) return { inForce, changes: [], changeCount: 0, needsRestart: [], faults: loaded.faults };
    const changes = configurationChanges(this.#copy(), loaded.copy);
    return {
      digest: loaded.digest,
      inForce,
      changes: changes.slice(0, CHANGES_MAX),
      changeCount: changes.length,
      needsRestart: this.ports.live.restartFaults(loaded.next),
      faults: [],
    };
  }

  /** At the start it tries once: a file that differs then stays in force until the next change. Later it tries until its file is the applied one. */
  async #follow(applied: ConfigurationApplied['data'] | undefined): Promise<void> {
    const isFirst = !this.#isStarted;
    this.#isStarted = true;
    const { bootId, clock } = this.ports;
    const begunAt = clock.now();
    if (applied === undefined || applied === this.#settled || (applied === this.#tried && begunAt < this.#nextTryAt)) return;
    const why = this.#take(applied.digest);
    if (why !== undefined && this.#tried !== applied) this.ports.onKept(why);
    if (why === undefined || isFirst) this.#settled = applied;
    this.#tried = applied;
    this.#nextTryAt = addMs(clock.now(), TRY_REST * (clock.now() - begunAt));
    const report = { process: bootId, digest: this.digest, now: clock.now() };
    const data = why === undefined ? { ...report, outcome: 'taken' as const } : { ...report, outcome: 'kept' as const, why };
    try {
      await this.#decide({ type: 'ReportConfiguration', data }, { actor: 'orchestrator' });
    } catch (error) {
      // The next report replaces it.
      this.ports.onError(error);
    }
  }

  /** @returns why the former one was kept */
  #take(digest: string): string | undefined {
    if (digest === this.digest) return undefined;
    const loaded = this.#loaded();
    if ('faults' in loaded) return loaded.faults.join('; ').slice(0, WHY_LENGTH_MAX);
    if (loaded.digest !== digest) return 'the file of this process is not the applied one';
    try {
      const faults = this.ports.live.take(loaded.next);
      if (faults.length > 0) return faults.join('; ').slice(0, WHY_LENGTH_MAX);
    } catch (error) {
      this.ports.onError(error);
      return 'a part of this process cannot take it; its log has the cause';
    }
    this.#digest = undefined;
    this.ports.onTaken();
    return undefined;
  }

  #loaded(): Loaded {
    try {
      const next = this.ports.load();
      const copy = redactedConfiguration(next, this.ports.digests);
      return { next, copy, digest: digestOfCopy(copy) };
    } catch (error) {
      if (!(error instanceof ConfigurationFault)) throw error;
      return { faults: error.faults.map(({ path, problem }) => `${path || 'the file'}: ${problem}`) };
    }
  }

  #copy(): string {
    return redactedConfiguration(this.ports.live.current, this.ports.digests);
  }

  /** @returns whether it was rejected */
  async #decide(command: ConfigurationChangeCommand, by: Actor): Promise<boolean> {
    const { store, clock, ids } = this.ports;
    const commandId = ids.next();
    const { kind } = await runDecision({
      store,
      codec: configurationChangeCodec,
      decider: appliedConfigurations,
      stream: configurationChangeStream(),
      command,
      envelope: { correlation: commandId, causation: commandId, ...by, merchant: '', commandId, recordedAt: clock.now() },
    });
    return kind === 'rejected';
  }
}
