import { Global, Module, type DynamicModule } from '@nestjs/common';
import { faultText } from '@app/investigation';
import { keyIdOf } from '@app/investigation/record';
import { LOG_PROOFS_LISTENER } from '@app/investigation/log-proofs.tokens';
import { SubscriptionDropped } from '@app/event-store';
import { ENVIRONMENT } from '@app/configuration/configuration.module';
import { CARD_VAULT, CARD_VAULT_LISTENER } from '@app/card-vault/card-vault.tokens';
import { DELIVERIES_LISTENER } from '@app/callbacks/deliveries.tokens';
import { GATE_LISTENER } from '@app/gateway-adapters/gateway-adapters.tokens';
import type { ServiceLog } from '@app/http/server';
import { SERVICE_LOG } from '@app/http/server/service-log.tokens';
import { provide } from '@app/kernel/injection';
import { OPERATOR_AUDIT_LISTENER } from '@app/investigation/record/operator-audit.module';
import { GATE_NOTIFICATION_LISTENER, ORDERS_LISTENER } from '@app/orders/orders.tokens';
import { PROJECTIONS_LISTENER } from '@app/read-models/read-models.tokens';
import { EXCHANGE_LISTENER } from '@app/http/request/request.tokens';
import { PAYER_LISTENER } from '@app/orders/http/payer/payer.module';
import { RECEIPT_LISTENER } from '@app/orders/http/receipt.module';
import { OPERATOR_LISTENER } from '../operator/operator.guard';
import { WORKERS_LISTENER } from '../worker/workers';
import { OrderLog, withTrace, OrderNumbersAlarm, ProjectionSignal } from './order-log';
import { ServiceMetrics } from './service-metrics';

/** A log reader that the server dropped resumes without loss, which is no failure. */
const retried = (log: ServiceLog, what: 'projection' | 'log-proofs', error: unknown): void =>
  error instanceof SubscriptionDropped
    ? log.info(`${what}.resubscribed`, { cause: error.message })
    : log.failure(`${what}.retrying`, error);

const watches = [
  provide(ORDERS_LISTENER, { metrics: ServiceMetrics, orderLog: OrderLog, alarm: OrderNumbersAlarm }, ({ metrics, orderLog, alarm }) => ({
    workFailed: (about, error) => {
      metrics.orderFailed();
      orderLog.workFailed(about, error);
    },
    gateFailed: (call, error) => {
      metrics.orderFailed();
      orderLog.gateFailed(call, error);
    },
    gateAnsweredLate: (call, answer) => orderLog.gateAnsweredLate(call, answer),
    gateContradicted: () => metrics.gateContradicted(),
    orderMoved: (order, events) => {
      metrics.orders.moved(order, events);
      orderLog.moved(order, events);
    },
    orderAccepted: (stream) => metrics.orders.accepted(stream),
    orderNumbersReserved: (used) => {
      metrics.orderNumbersUsed(used);
      alarm.reserved(used);
    },
  })),
  provide(GATE_NOTIFICATION_LISTENER, { metrics: ServiceMetrics, orderLog: OrderLog }, ({ metrics, orderLog }) => ({
    heard: (gate, kind, outcome) => metrics.gateReported(gate, kind, outcome),
    neverKnown: (gate, told) => orderLog.gateReportNeverKnown(gate, told),
    notificationFailed: (gate, error, stream) => {
      metrics.orderFailed();
      orderLog.notificationFailed({ gate, ...(stream !== undefined && { stream }) }, error);
    },
  })),
  provide(WORKERS_LISTENER, { metrics: ServiceMetrics, orderLog: OrderLog, log: SERVICE_LOG }, ({ metrics, orderLog, log }) => ({
    deliveryFailed: (item, error) => {
      metrics.orderFailed();
      orderLog.deliveryFailed(item, error);
    },
    upkeepFailed: (task, error) => {
      metrics.orderFailed();
      orderLog.upkeepFailed(task, error);
    },
    streamParked: ({ stream, revision }, error) => log.failure('projection.parked', error, { stream, revision }),
    projectionRetrying: (error) => retried(log, 'projection', error),
    clockJumped: (byMs) => log.warning('clock.jumped', { byMs }),
  })),
  provide(PROJECTIONS_LISTENER, { metrics: ServiceMetrics, news: ProjectionSignal, log: SERVICE_LOG }, ({ metrics, news, log }) => ({
    waiting: (error) => {
      if (error !== undefined) log.failure('projection.retrying', error);
      news.arrived();
    },
    parkedAtBuild: ({ parkedAt: _, error, ...parked }) => log.failure('projection.parked', new Error(error), parked),
    aheadOfLog: (projections) =>
      log.failure('projection.ahead-of-log', new Error('the log ends before the position of the read models, which are rebuilt'), {
        projections,
      }),
    rowCorrupt: (row) => {
      metrics.rowCorrupt();
      log.failure('read-model.row-rotten', new Error('a row failed its checksum, and its stream was projected again'), { ...row });
    },
  })),
  provide(CARD_VAULT_LISTENER, { log: SERVICE_LOG }, ({ log }) => ({
    keyRingUnread: (error) => log.failure('vault.key-ring-unread', error),
  })),
  provide(DELIVERIES_LISTENER, { metrics: ServiceMetrics, orderLog: OrderLog }, ({ metrics, orderLog }) => ({
    tried: (tried) => {
      metrics.callbackTried(tried);
      orderLog.callbackTried(tried);
    },
  })),
  provide(EXCHANGE_LISTENER, { metrics: ServiceMetrics, log: SERVICE_LOG, digests: CARD_VAULT }, ({ metrics, log, digests }) => ({
    served: ({ signedWith, ...served }, group) => {
      metrics.served(served, group);
      log.info('request.served', { ...served, ...(signedWith && { keyId: keyIdOf(signedWith, digests) }) });
    },
    failed: ({ serial, callerTrace }, error) => log.failure('request.failed', error, withTrace({ serial, callerTrace })),
    signatureAmbiguous: () => metrics.signatureAmbiguous(),
  })),
  provide(PAYER_LISTENER, { metrics: ServiceMetrics, orderLog: OrderLog, log: SERVICE_LOG }, ({ metrics, orderLog, log }) => ({
    served: (operation, { merchant, endpointId: entryPoint, orderId }) =>
      log.info('request.served', { operation, merchant, entryPoint, orderId }),
    failed: (error, stream) => {
      metrics.orderFailed();
      orderLog.workFailed({ ...(stream !== undefined && { stream }), task: 'payer' }, error);
    },
  })),
  provide(RECEIPT_LISTENER, { log: SERVICE_LOG }, ({ log }) => ({ failed: (error) => log.failure('receipt.unread', error) })),
  provide(GATE_LISTENER, { metrics: ServiceMetrics }, ({ metrics }) => metrics.gates),
  provide(LOG_PROOFS_LISTENER, { metrics: ServiceMetrics, log: SERVICE_LOG }, ({ metrics, log }) => ({
    unsigned: () => log.warning('log-proofs.unsigned', { setting: 'LOG_SIGNING_KEY' }),
    inconsistent: (fault) => {
      metrics.logProofs.inconsistent();
      log.failure('log-proofs.inconsistent', new Error(faultText(fault)), { ...fault });
    },
    rebuilding: (error) => log.failure('log-proofs.rebuilding', error),
    retrying: (error) => retried(log, 'log-proofs', error),
    witnessFailed: (witness, error) => {
      metrics.logProofs.witnessFailed();
      log.failure('log-proofs.witness-failed', error, { witness });
    },
  })),
  provide(OPERATOR_LISTENER, { log: SERVICE_LOG }, ({ log }) => ({ served: (served) => log.info('request.served', served) })),
  provide(OPERATOR_AUDIT_LISTENER, { metrics: ServiceMetrics, log: SERVICE_LOG }, ({ metrics, log }) => ({
    unwritten: (error) => log.failure('operator.unrecorded', error),
    acted: (action) => metrics.operators.acted(action),
    revealed: () => metrics.operators.revealed(),
    refused: (cause) => metrics.operators.refused(cause),
  })),
];

@Global()
@Module({})
export class MonitoringModule {
  static forRoot(log: ServiceLog): DynamicModule {
    const providers = [
      { provide: SERVICE_LOG, useValue: log },
      provide(ServiceMetrics, {}, () => new ServiceMetrics()),
      provide(OrderLog, { environment: ENVIRONMENT }, ({ environment }) => new OrderLog(log, environment)),
      provide(OrderNumbersAlarm, {}, () => new OrderNumbersAlarm(log)),
      provide(ProjectionSignal, {}, () => new ProjectionSignal()),
      ...watches,
    ];
    return { module: MonitoringModule, providers, exports: providers.map((provider) => provider.provide) };
  }
}
