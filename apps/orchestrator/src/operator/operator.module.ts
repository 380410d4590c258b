import { join } from 'node:path';
import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  ListOrders,
  OrderTrails,
  AuditService,
  BulkResending,
  OrderNames,
  QueryAudit,
  EvidenceService,
  FolderFiles,
  ErasureService,
  FollowUpService,
  GateStates,
  LogInspection,
  OrderFeed,
  WhatIfs,
  OperatorAccess,
  OperatorSessions,
  SignInFailures,
  RetentionPreviews,
  RouteExplanations,
  OrderHistories,
  OperatorLists,
  OperatorService,
  SwitchService,
  ServiceOverview,
  ServiceState,
  ConfigurationService,
  type OutcomeResolver,
  witnessAt,
} from '@app/investigation';
import {
  loadConfiguration,
  packageRoot,
  readOrMakeOperatorToken,
  sha256OfToken,
  type Configuration,
  type Operator,
  type OrchestratorEnvironment,
} from '@app/configuration';
import { ACCOUNTS, CONFIGURATION, ENVIRONMENT, LIVE_CONFIGURATION } from '@app/configuration/configuration.module';
import { isReport, redactedConfiguration, OperatorAudit } from '@app/investigation/record';
import { ResendCallback } from '@app/callbacks';
import { DeliveriesModule } from '@app/callbacks/deliveries.module';
import { CALLBACK_FACTS } from '@app/callbacks/deliveries.tokens';
import { LogProofsModule } from '@app/investigation/log-proofs.module';
import { LOG_PROOFS, LOG_SIGNING_KEY } from '@app/investigation/log-proofs.tokens';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import type { Actor } from '@app/event-store';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { refusalOfConfiguredTarget } from '@app/http/client';
import { SERVICE_LOG } from '@app/http/server/service-log.tokens';
import { built, made, BOOT_ID, CLOCK, IDS, provide, RANDOM, SCHEDULER, token } from '@app/kernel/injection';
import { OPERATOR_AUDIT_LISTENER, OperatorAuditModule } from '@app/investigation/record/operator-audit.module';
import {
  OrderSwitches,
  ReconcileOrder,
  RecordDisputeReport,
  RequestFollowUpHandler,
  ResolveUnknownFollowUp,
  ResolveUnknownOutcome,
  RouteOrder,
} from '@app/orders';
import { GATE_CIRCUITS } from '@app/orders/orders.tokens';
import { OrdersModule } from '@app/orders/orders.module';
import { CurrentOrderReader, RETENTION_WORK, StreamErasableData } from '@app/read-models/queries';
import { OrderQueriesModule } from '@app/read-models/queries/order-queries.module';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { Cases } from '@app/reconciliation';
import { Approvals } from '@app/investigation/approvals';
import { EraseOrder, hasRules, LegalHolds } from '@app/investigation/erasure';
import { ApprovableActions } from './approvable-actions';
import { ConsoleFiles } from './console.controller';
import { RecordedConfiguration } from './recorded-configuration';
import { GateInquiries } from './gate-inquiries';
import { HouseSignIn } from './house-sign-in';
import { METRICS_ACCESS } from './metrics.controller';
import { FourEyes } from './four-eyes';
import { ReconciliationService } from './reconciliation.service';
import { SandboxLink, SANDBOX_OPERATOR } from './session.controller';
import { SessionCookies } from './session-cookies';

const OPERATORS = token<() => readonly Operator[]>('OPERATORS');
/** Reads and validates the configuration file of this process. */
export const CONFIGURATION_FILE = token<() => Configuration>('CONFIGURATION_FILE');
const OUTCOME_RESOLVER = token<OutcomeResolver>('OUTCOME_RESOLVER');

/**
 * Outside production without configured operators, creates the sandbox's token; whoever can read its file is an admin.
 * @throws ConfigurationFault if that token cannot be made or read
 */
const operatorsOf = (
  configuration: Pick<Configuration, 'operators'>,
  { isProduction, operatorTokenPath }: Pick<OrchestratorEnvironment, 'isProduction' | 'operatorTokenPath'>,
): (() => readonly Operator[]) => {
  if (isProduction || configuration.operators.length > 0) return () => configuration.operators;
  const sandbox: readonly Operator[] = [
    { name: SANDBOX_OPERATOR, role: 'admin', tokenSha256: sha256OfToken(readOrMakeOperatorToken(operatorTokenPath)) },
  ];
  return () => (configuration.operators.length > 0 ? configuration.operators : sandbox);
};

const outcomeResolver = (order: ResolveUnknownOutcome, followUps: ResolveUnknownFollowUp): OutcomeResolver => ({
  resolve: async (stream, as, reason, by: Actor, { followUp, at } = {}) => {
    const resolved =
      followUp === undefined
        ? await order.resolve(stream, { as, reason, by, at })
        : await followUps.resolve(stream, { number: followUp, as, reason, by, at });
    if (resolved.kind === 'resolved') return { reason: 'resolved' };
    if (resolved.reason === 'order-moved') return { reason: 'order-moved' };
    return { reason: resolved.reason === 'flight-not-over' ? 'flight-not-over' : 'nothing-to-resolve' };
  },
});

export const OPERATOR_PARTS = [
  OperatorAccess,
  OperatorSessions,
  SignInFailures,
  OperatorService,
  OperatorLists,
  ServiceState,
  ServiceOverview,
  RouteExplanations,
  FollowUpService,
  FourEyes,
  BulkResending,
  ReconciliationService,
  GateInquiries,
  OrderHistories,
  OrderNames,
  QueryAudit,
  GateStates,
  SwitchService,
  ConfigurationService,
  AuditService,
  EvidenceService,
  ErasureService,
  RetentionPreviews,
  LogInspection,
  OrderFeed,
  WhatIfs,
  METRICS_ACCESS,
  SessionCookies,
  SandboxLink,
  HouseSignIn,
  ConsoleFiles,
];

@Module({
  imports: [DeliveriesModule, LogProofsModule, OperatorAuditModule, OrdersModule, OrderQueriesModule],
  providers: [
    // The store opens first: its lock prevents another process from making the token at the same time.
    provide(OPERATORS, { configuration: CONFIGURATION, environment: ENVIRONMENT, store: EVENT_STORE }, ({ configuration, environment }) =>
      operatorsOf(configuration, environment),
    ),
    built(OperatorAccess, OPERATORS, OperatorAudit),
    provide(
      OperatorSessions,
      {
        operators: OPERATORS,
        configuration: CONFIGURATION,
        vault: CARD_VAULT,
        store: EVENT_STORE,
        clock: CLOCK,
        ids: IDS,
        random: RANDOM,
        scheduler: SCHEDULER,
        log: SERVICE_LOG,
      },
      ({ configuration, log, ...ports }) =>
        new OperatorSessions({
          ...ports,
          groups: () => configuration.signIn?.groups ?? [],
          onError: (error) => log.failure('operator.sessions-not-followed', error),
        }),
    ),
    built(SessionCookies, OperatorSessions, ENVIRONMENT),
    provide(ConsoleFiles, {}, () => new ConsoleFiles(join(packageRoot(), 'dist', 'apps', 'console'))),
    built(SignInFailures, CLOCK),
    made(SandboxLink, { operators: OPERATORS, environment: ENVIRONMENT, clock: CLOCK }),
    made(HouseSignIn, { configuration: CONFIGURATION, operators: OPERATORS, environment: ENVIRONMENT, clock: CLOCK }),
    provide(OUTCOME_RESOLVER, { order: ResolveUnknownOutcome, followUps: ResolveUnknownFollowUp }, ({ order, followUps }) =>
      outcomeResolver(order, followUps),
    ),
    made(OperatorService, {
      log: EVENT_STORE,
      readModel: READ_MODEL,
      accounts: ACCOUNTS,
      orders: CurrentOrderReader,
      resending: ResendCallback,
      outcomes: OUTCOME_RESOLVER,
      reports: RecordDisputeReport,
      sealer: CARD_VAULT,
      audit: OperatorAudit,
    }),
    made(FollowUpService, {
      handler: RequestFollowUpHandler,
      readModel: READ_MODEL,
      orders: CurrentOrderReader,
      accounts: ACCOUNTS,
      digests: CARD_VAULT,
      audit: OperatorAudit,
    }),
    made(ServiceState, { log: EVENT_STORE, readModel: READ_MODEL, clock: CLOCK }),
    provide(
      ServiceOverview,
      {
        readModel: READ_MODEL,
        state: ServiceState,
        lists: OperatorLists,
        gates: GateStates,
        switches: SwitchService,
        configurations: ConfigurationService,
        logProofs: LOG_PROOFS,
        accounts: ACCOUNTS,
        clock: CLOCK,
        scheduler: SCHEDULER,
      },
      ({ logProofs, ...ports }) => new ServiceOverview({ ...ports, logProofs: () => logProofs.health() }),
    ),
    made(OperatorLists, { log: EVENT_STORE, readModel: READ_MODEL, accounts: ACCOUNTS, digests: CARD_VAULT, clock: CLOCK }),
    made(BulkResending, {
      lists: OperatorLists,
      readModel: READ_MODEL,
      resending: ResendCallback,
      accounts: ACCOUNTS,
      digests: CARD_VAULT,
      audit: OperatorAudit,
      clock: CLOCK,
    }),
    provide(
      Approvals,
      { store: EVENT_STORE, sealer: CARD_VAULT, clock: CLOCK, ids: IDS },
      (ports) => new Approvals({ ...ports, isReport }),
    ),
    made(ApprovableActions, {
      operators: OperatorService,
      followUps: FollowUpService,
      reconciliation: ReconciliationService,
      erasures: ErasureService,
      configurations: ConfigurationService,
      readModel: READ_MODEL,
      orders: CurrentOrderReader,
      accounts: ACCOUNTS,
    }),
    made(FourEyes, {
      configuration: CONFIGURATION,
      approvals: Approvals,
      actions: ApprovableActions,
      log: EVENT_STORE,
      audit: OperatorAudit,
      clock: CLOCK,
      ids: IDS,
    }),
    made(RouteExplanations, { accounts: ACCOUNTS, gates: GATES, routes: RouteOrder, bootId: BOOT_ID }),
    made(Cases, { store: EVENT_STORE, sealer: CARD_VAULT, clock: CLOCK, ids: IDS }),
    made(ReconciliationService, {
      cases: Cases,
      readModel: READ_MODEL,
      orders: ReconcileOrder,
      gates: GATES,
      digests: CARD_VAULT,
      audit: OperatorAudit,
    }),
    provide(
      GateInquiries,
      { gates: GATES, readModel: READ_MODEL, scheduler: SCHEDULER, audit: OperatorAudit },
      ({ readModel, ...ports }) => new GateInquiries({ ...ports, gateAttempts: readModel.gateAttempts }),
    ),
    made(ListOrders, { log: EVENT_STORE, readModel: READ_MODEL, digests: CARD_VAULT, accounts: ACCOUNTS }),
    made(OrderTrails, { log: EVENT_STORE, readModel: READ_MODEL, digests: CARD_VAULT, sealer: CARD_VAULT }),
    made(OrderNames, { lists: ListOrders, log: EVENT_STORE, readModel: READ_MODEL }),
    made(AuditService, {
      lists: ListOrders,
      trails: OrderTrails,
      names: OrderNames,
      sealer: CARD_VAULT,
      digests: CARD_VAULT,
      log: EVENT_STORE,
      clock: CLOCK,
      audit: OperatorAudit,
      questions: QueryAudit,
    }),
    provide(
      EvidenceService,
      {
        log: EVENT_STORE,
        readModel: READ_MODEL,
        trails: OrderTrails,
        names: OrderNames,
        vault: CARD_VAULT,
        facts: CALLBACK_FACTS,
        accounts: ACCOUNTS,
        audit: OperatorAudit,
        questions: QueryAudit,
        key: LOG_SIGNING_KEY,
        environment: ENVIRONMENT,
        clock: CLOCK,
      },
      ({ environment, ...parts }) => new EvidenceService({ ...parts, tree: new FolderFiles(environment.logProofsDir) }),
    ),
    provide(
      WhatIfs,
      { log: EVENT_STORE, accounts: ACCOUNTS, clock: CLOCK, ids: IDS, audit: OperatorAudit, environment: ENVIRONMENT },
      ({ environment, ...ports }) => new WhatIfs({ ...ports, files: new FolderFiles(join(environment.dataDir, 'what-ifs')) }),
    ),
    made(OrderFeed, { log: EVENT_STORE, scheduler: SCHEDULER }),
    provide(
      LogInspection,
      { log: EVENT_STORE, key: LOG_SIGNING_KEY, proofs: LOG_PROOFS, environment: ENVIRONMENT },
      ({ environment, ...ports }) =>
        new LogInspection({
          ...ports,
          files: new FolderFiles(environment.logProofsDir),
          witnesses: environment.logWitnesses.map(witnessAt),
        }),
    ),
    built(QueryAudit, OperatorAudit, CARD_VAULT),
    provide(
      OrderHistories,
      { log: EVENT_STORE, readModel: READ_MODEL, accounts: ACCOUNTS },
      ({ log, readModel, accounts }) => new OrderHistories({ log, orders: readModel.operatorOrders, accounts }),
    ),
    made(LegalHolds, { store: EVENT_STORE, sealer: CARD_VAULT, clock: CLOCK, ids: IDS }),
    made(ErasureService, {
      erasing: EraseOrder,
      holds: LegalHolds,
      log: EVENT_STORE,
      sealer: CARD_VAULT,
      readModel: READ_MODEL,
      orders: CurrentOrderReader,
      accounts: ACCOUNTS,
      audit: OperatorAudit,
    }),
    provide(
      RetentionPreviews,
      { configuration: CONFIGURATION, readModel: READ_MODEL, erasableData: StreamErasableData, log: EVENT_STORE, clock: CLOCK },
      ({ configuration: { retention: rules }, readModel, ...ports }) =>
        new RetentionPreviews({ ...ports, rules, work: hasRules(rules) ? readModel.openWork(RETENTION_WORK) : undefined }),
    ),
    provide(
      RecordedConfiguration,
      {
        configuration: CONFIGURATION,
        store: EVENT_STORE,
        vault: CARD_VAULT,
        clock: CLOCK,
        ids: IDS,
        scheduler: SCHEDULER,
        bootId: BOOT_ID,
        listener: OPERATOR_AUDIT_LISTENER,
      },
      ({ configuration, vault, listener, ...ports }) =>
        new RecordedConfiguration({
          ...ports,
          copy: () => redactedConfiguration(configuration, vault),
          keys: () => vault.keyNames(),
          onKeysChanged: (listener) => vault.onKeyRingTaken(listener),
          onUnwritten: (error) => listener.unwritten(error),
        }),
    ),
    provide(
      CONFIGURATION_FILE,
      { environment: ENVIRONMENT },
      ({ environment }) =>
        () =>
          loadConfiguration(environment.configurationPath, process.env, GATE_ADAPTERS, refusalOfConfiguredTarget),
    ),
    provide(
      ConfigurationService,
      {
        live: LIVE_CONFIGURATION,
        load: CONFIGURATION_FILE,
        recorded: RecordedConfiguration,
        store: EVENT_STORE,
        vault: CARD_VAULT,
        clock: CLOCK,
        ids: IDS,
        scheduler: SCHEDULER,
        bootId: BOOT_ID,
        audit: OperatorAudit,
        questions: QueryAudit,
        whatIfs: WhatIfs,
        log: SERVICE_LOG,
      },
      ({ recorded, vault, log, ...ports }) =>
        new ConfigurationService({
          ...ports,
          sealer: vault,
          digests: vault,
          onTaken: () => recorded.changed(),
          onKept: (why) => log.warning('configuration.kept', { why }),
          onError: (error) => log.failure('configuration.not-followed', error),
        }),
    ),
    made(GateStates, {
      accounts: ACCOUNTS,
      circuits: GATE_CIRCUITS,
      switches: OrderSwitches,
      readModel: READ_MODEL,
      bootId: BOOT_ID,
      clock: CLOCK,
      scheduler: SCHEDULER,
    }),
    made(SwitchService, { switches: OrderSwitches, audit: OperatorAudit }),
    provide(METRICS_ACCESS, { environment: ENVIRONMENT }, ({ environment }) => environment.operatorMetrics),
  ],
  exports: [OperatorAuditModule, ...OPERATOR_PARTS],
})
export class OperatorModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(ConfigurationService) private readonly configurations: ConfigurationService,
    @Inject(OperatorSessions) private readonly sessions: OperatorSessions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([this.configurations.start(), this.sessions.start()]);
  }

  onApplicationShutdown(): void {
    this.sessions.stop();
    this.configurations.stop();
  }
}
