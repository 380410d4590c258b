import type { Accounts, Operator } from '@app/configuration';
import { formatAmount, waitAtMost, type Clock, type Instant, type MerchantLogin, type Scheduler } from '@app/kernel';
import {
  COUNTED_MAX,
  type Counted,
  type DeliveryQueries,
  type DisputeQueries,
  type GateMinutesQueries,
  NO_DAY,
  type OpenCountQueries,
  type ReconciliationCaseQueries,
} from '@app/read-models';
import { PROJECTED_WITHIN_MS } from '@app/read-models/queries';
import type { LogProofsHealth } from '../log-proofs/log-proofs';
import { auditInstant, auditInstantOrNull } from '../orders/audit-instant';
import type { ConfigurationService, ConfigurationStatus } from './configuration.service';
import type { HeldJson, SwitchService } from './switch.service';
import { lastHourAt, lastHourOf, type LastHour } from './gate-calls';
import type { GateState, GateStates } from './gate-states';
import { merchantsListed } from './operator-access';
import type { ListedApproval, OperatorLists } from './operator-lists';
import type { ServiceState } from './service-state';

interface ServiceOverviewPorts {
  readonly lists: Pick<OperatorLists, 'actionsAlone'>;
  readonly readModel: {
    readonly openCounts: Pick<OpenCountQueries, 'unknownOutcomes' | 'unknownAmounts'>;
    readonly deliveries: Pick<DeliveryQueries, 'count'>;
    readonly disputes: Pick<DisputeQueries, 'count'>;
    readonly reconciliationCases: Pick<ReconciliationCaseQueries, 'count'>;
    readonly gateMinutes: Pick<GateMinutesQueries, 'between'>;
  };
  readonly state: Pick<ServiceState, 'parked' | 'projections'>;
  readonly gates: Pick<GateStates, 'states'>;
  readonly switches: Pick<SwitchService, 'held'>;
  readonly configurations: Pick<ConfigurationService, 'status'>;
  /** Of this process. */
  readonly logProofs: () => LogProofsHealth;
  readonly accounts: Pick<Accounts, 'logins'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

export interface OverviewCount {
  readonly count: number;
  /** There are at least so many. */
  readonly isAtLeast?: true;
  readonly oldestAt: string | null;
  /** 0 if there is none. */
  readonly oldestSeconds: number;
}

export interface UnknownOverview extends OverviewCount {
  /** By currency, in major units, of the counted orders. */
  readonly amounts: readonly { readonly currency: string; readonly amount: string }[];
}

export interface CallbacksOverview {
  readonly waiting: OverviewCount;
  /** Given up. */
  readonly exhausted: OverviewCount;
}

/** Orders with an open chargeback, by the first day on which an answer is due, in UTC. */
export interface DisputesOverview {
  readonly overdue: number;
  /** Today, or in the next three days. */
  readonly withinThreeDays: number;
  readonly later: number;
  readonly withoutDay: number;
}

export interface ProjectionsOverview {
  /** Missing, or more than two seconds behind the log. */
  readonly behind: readonly string[];
  readonly behindSeconds: number;
}

/** As far as this process knows. */
export interface LogOverview {
  readonly isSigning: boolean;
  /** Events that the last checkpoint covers. Null if this process signed none. */
  readonly checkpointEvents: number | null;
  readonly checkpointAt: string | null;
  /** Age of the oldest event without a signed checkpoint; 0 if all are covered. */
  readonly waitingSeconds: number;
  /** Verification of the log fails. */
  readonly isFaulty: boolean;
}

interface OverviewAlert {
  /** As in `deploy/prometheus/alerts.yml`. */
  readonly name: AlertName;
  readonly runbook: string;
  readonly value: number;
}

/** A part is null if its store did not answer, which `unavailable` names, or if it is about the whole service and the operator is limited. */
export interface Overview {
  readonly at: string;
  /** The parts that could not be read in time. */
  readonly unavailable: readonly string[];
  readonly unknownOutcomes: UnknownOverview | null;
  readonly callbacks: CallbacksOverview | null;
  readonly reconciliationCases: OverviewCount | null;
  readonly disputes: DisputesOverview | null;
  readonly parkedStreams: OverviewCount | null;
  readonly projections: ProjectionsOverview | null;
  /** Held by operators, or by the circuit breakers of this process. */
  readonly gatesOutOfRouting: readonly GateState[] | null;
  readonly heldEndpoints: readonly HeldJson[];
  /** By minute, of all processes. */
  readonly lastHour: LastHour | null;
  /** Shows whether processes differ. */
  readonly configuration: ConfigurationStatus | null;
  readonly log: LogOverview | null;
  /** Of the last seven days, by an admin without the second person that the configuration requires. The newest 25. */
  readonly actionsAlone: readonly ListedApproval[] | null;
  /** Conditions that hold now, without the delay of Prometheus. */
  readonly alerts: readonly OverviewAlert[];
}

/** The alert fires above this value. A spec compares them with `deploy/prometheus/alerts.yml`. */
export const ALERT_LIMITS = {
  OutcomeUnknownForLong: 3_600,
  OutcomesUnknown: 100,
  CallbacksWait: 86_400,
  ReconciliationCasesWait: 86_400,
  StreamsParked: 0,
  ChainBroken: 0,
  ReadModelsBehind: 60,
  GateCircuitOpen: 0,
  LogNotSigned: 600,
  LogNotAsWritten: 0,
} as const;
type AlertName = keyof typeof ALERT_LIMITS;

export const runbookOf = (name: string): string => `docs/watch.md#${name.toLowerCase()}`;

const ANSWER_MS_MAX = 2_000;
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const NEAR_DAYS = 4;

/** What an operator on call has to know first. Each part is read on its own, so that one store that is down hides no other. */
export class ServiceOverview {
  constructor(private readonly ports: ServiceOverviewPorts) {}

  async overview(operator: Pick<Operator, 'merchants'>): Promise<Overview> {
    const { accounts, clock, gates, scheduler } = this.ports;
    const unavailable: string[] = [];
    const part = async <Value>(name: keyof Overview, read: () => Promise<Value>): Promise<Value | null> =>
      waitAtMost(
        scheduler,
        ANSWER_MS_MAX,
        read().catch(() => null),
        () => null,
      ).then((value) => {
        if (value === null) unavailable.push(name);
        return value;
      });
    const merchants = merchantsListed(operator, accounts.logins, undefined);
    const isWhole = operator.merchants === undefined;
    const parked = isWhole ? part('parkedStreams', () => this.ports.state.parked()) : Promise.resolve(null);
    const [unknownOutcomes, callbacks, reconciliationCases, disputes, projections, lastHour, actionsAlone, parkedStreams] =
      await Promise.all([
        part('unknownOutcomes', () => this.#unknown(merchants)),
        part('callbacks', () => this.#callbacks(merchants)),
        part('reconciliationCases', () => this.#cases(merchants)),
        part('disputes', () => this.#disputes(merchants)),
        part('projections', () => this.#projections()),
        part('lastHour', () => this.#lastHour(operator, merchants)),
        part('actionsAlone', () => this.ports.lists.actionsAlone(operator)),
        parked,
      ]);
    const isCircuitOpen = ({ circuit }: GateState): boolean => circuit === 'open' || circuit === 'half-open';
    const gatesOutOfRouting = gates.states(operator).filter((gate) => isCircuitOpen(gate) || gate.heldSince !== null);
    const log = isWhole ? this.#log() : null;
    const broken = parkedStreams?.streams.filter(({ cause }) => cause === 'chain-broken').length ?? 0;
    const values: Readonly<Record<AlertName, number>> = {
      OutcomeUnknownForLong: unknownOutcomes?.oldestSeconds ?? 0,
      OutcomesUnknown: unknownOutcomes?.count ?? 0,
      CallbacksWait: callbacks?.waiting.oldestSeconds ?? 0,
      ReconciliationCasesWait: reconciliationCases?.oldestSeconds ?? 0,
      StreamsParked: (parkedStreams?.streams.length ?? 0) - broken,
      ChainBroken: broken,
      ReadModelsBehind: projections?.behindSeconds ?? 0,
      GateCircuitOpen: gatesOutOfRouting.filter(isCircuitOpen).length,
      LogNotSigned: log?.waitingSeconds ?? 0,
      LogNotAsWritten: log?.isFaulty === true ? 1 : 0,
    };
    const firing = (Object.keys(ALERT_LIMITS) as AlertName[]).filter((name) => values[name] > ALERT_LIMITS[name]);
    const parkedAt = parkedStreams?.streams.map(({ parkedAt }) => Date.parse(parkedAt)) ?? [];
    const oldestAt = parkedAt.length === 0 ? undefined : (Math.min(...parkedAt) as Instant);
    return {
      at: auditInstant(clock.now()),
      unavailable,
      unknownOutcomes,
      callbacks,
      reconciliationCases,
      disputes,
      parkedStreams: parkedStreams && this.#counted({ count: parkedAt.length, oldestAt }, parkedStreams.isCutShort),
      projections,
      gatesOutOfRouting,
      heldEndpoints: this.ports.switches.held(operator).filter(({ kind }) => kind === 'endpoint'),
      lastHour,
      configuration: isWhole ? this.ports.configurations.status() : null,
      log,
      actionsAlone,
      alerts: firing.map((name) => ({ name, runbook: runbookOf(name), value: values[name] })),
    };
  }

  async #unknown(merchants: readonly MerchantLogin[] | undefined): Promise<UnknownOverview> {
    const { openCounts } = this.ports.readModel;
    const [counted, sums] = await Promise.all([openCounts.unknownOutcomes(merchants), openCounts.unknownAmounts(merchants)]);
    const amounts = sums.map(({ currency, minor }) => ({ currency, amount: formatAmount(minor) }));
    return { ...this.#counted(counted), amounts };
  }

  async #callbacks(merchants: readonly MerchantLogin[] | undefined): Promise<CallbacksOverview> {
    const { deliveries } = this.ports.readModel;
    const [waiting, exhausted] = await Promise.all([
      deliveries.count({ state: 'waiting', merchants }),
      deliveries.count({ state: 'exhausted', merchants }),
    ]);
    return { waiting: this.#counted(waiting), exhausted: this.#counted(exhausted) };
  }

  async #cases(merchants: readonly MerchantLogin[] | undefined): Promise<OverviewCount> {
    return this.#counted(await this.ports.readModel.reconciliationCases.count({ isOpen: true, merchants }));
  }

  async #disputes(merchants: readonly MerchantLogin[] | undefined): Promise<DisputesOverview> {
    const today = Math.floor(this.ports.clock.now() / DAY_MS) * DAY_MS;
    const later = today + NEAR_DAYS * DAY_MS;
    const count = async (since: number | undefined, until: number | undefined): Promise<number> =>
      (await this.ports.readModel.disputes.count({ state: 'open', merchants, since, until })).count;
    const [overdue, withinThreeDays, rest, withoutDay] = await Promise.all([
      count(undefined, today),
      count(today, later),
      count(later, NO_DAY),
      count(NO_DAY, undefined),
    ]);
    return { overdue, withinThreeDays, later: rest, withoutDay };
  }

  async #projections(): Promise<ProjectionsOverview> {
    const { projections } = await this.ports.state.projections();
    const behind = projections.filter(
      ({ state, behindSeconds }) => state === 'missing' || (behindSeconds ?? 0) * SECOND_MS >= PROJECTED_WITHIN_MS,
    );
    return {
      behind: behind.map(({ projection }) => projection),
      behindSeconds: Math.max(0, ...behind.map(({ behindSeconds }) => behindSeconds ?? 0)),
    };
  }

  async #lastHour(operator: Pick<Operator, 'merchants'>, merchants: readonly MerchantLogin[] | undefined): Promise<LastHour> {
    const { readModel, gates, clock } = this.ports;
    const { since, until } = lastHourAt(clock.now());
    const aliases = gates.states(operator).map(({ alias }) => alias);
    return lastHourOf(await readModel.gateMinutes.between(since, until, merchants), aliases);
  }

  #log(): LogOverview {
    const { isSigning, checkpoint, waitingSince, fault } = this.ports.logProofs();
    return {
      isSigning,
      checkpointEvents: checkpoint?.size ?? null,
      checkpointAt: auditInstantOrNull((checkpoint?.madeAt ?? null) as Instant | null),
      waitingSeconds: waitingSince === undefined ? 0 : this.#secondsSince(waitingSince),
      isFaulty: fault !== undefined,
    };
  }

  #secondsSince(at: number): number {
    return Math.max(0, Math.floor((this.ports.clock.now() - at) / SECOND_MS));
  }

  #counted({ count, oldestAt }: Counted, isAtLeast: true | undefined = count >= COUNTED_MAX ? true : undefined): OverviewCount {
    return {
      count,
      ...(isAtLeast && { isAtLeast }),
      oldestAt: auditInstantOrNull(oldestAt ?? null),
      oldestSeconds: oldestAt === undefined ? 0 : this.#secondsSince(oldestAt),
    };
  }
}
