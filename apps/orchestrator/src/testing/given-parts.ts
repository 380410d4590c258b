import 'reflect-metadata';
import type { InjectionToken, Type } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { LOG_PROOFS_LISTENER } from '@app/investigation/log-proofs.tokens';
import { CALLBACK_FACTS, DELIVERIES_LISTENER } from '@app/callbacks/deliveries.tokens';
import { RequestDeadlines } from '@app/event-store';
import { ServiceLog } from '@app/http/server';
import type { Token } from '@app/kernel/injection';
import { OrderIdSource } from '@app/orders';
import { OPERATOR_AUDIT_LISTENER } from '@app/investigation/record/operator-audit.module';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { VirtualClock } from '@app/testing';
import { modulePorts } from '@app/testing/module-ports';
import { EXCHANGE_LISTENER } from '@app/http/request/request.tokens';
import { SERVICE_LOG } from '@app/http/server/service-log.tokens';
import { PAYER_LISTENER } from '@app/orders/http/payer/payer.module';
import { PayerPages } from '@app/orders/http';
import { RECEIPT_LISTENER } from '@app/orders/http/receipt.module';
import { SIMULATOR_PAGES } from '../gates/simulator-page.controller';
import { OPERATOR_LISTENER } from '../operator/operator.guard';

export type Given = readonly (readonly [InjectionToken, unknown])[];

const CONFIGURED = {
  publicBaseUrl: 'https://gateway.example',
  pathPrefix: '',
  orderIds: 'text',
  egress: { allow: [], ports: [], plainHttp: false },
  callbacks: { speedFactor: 1 },
  groupB: { httpErrors: 'always-200', notificationWaitMs: 0, feeChoiceMs: 0 },
  threeDSecure: { payerMs: 900_000 },
  rateLimit: { requestsPerSecond: 0 },
  operators: [],
};

/** Defaults for parts that a test does not replace; calling an empty one fails. */
const defaultParts = (): readonly (readonly [Token<unknown>, unknown])[] => [
  [CONFIGURATION, CONFIGURED],
  [ENVIRONMENT, { isProduction: true, operatorMetrics: 'token', readModel: { kind: 'file', path: '' }, logProofsDir: '', logWitnesses: [] }],
  [READ_MODEL, { orders: {}, search: {} }],
  [SERVICE_LOG, new ServiceLog('silent')],
  ...[
    CALLBACK_FACTS, DELIVERIES_LISTENER, LOG_PROOFS_LISTENER, OPERATOR_AUDIT_LISTENER, OPERATOR_LISTENER, PAYER_LISTENER, RECEIPT_LISTENER, EXCHANGE_LISTENER,
    SIMULATOR_PAGES,
  ].map((part) => [part, {}] as const),
]; // prettier-ignore

/** Modules over the real libs, with a log in memory and a virtual clock; given parts replace the real ones. */
export const withGivenParts = (imports: readonly Type[], given: Given = [], controllers: readonly Type[] = []): TestingModuleBuilder => {
  const clock = new VirtualClock();
  const ports = modulePorts(defaultParts(), clock);
  const parts = new Map<InjectionToken, unknown>([
    [RequestDeadlines, new RequestDeadlines(clock, clock)],
    [PayerPages, new PayerPages(CONFIGURED.publicBaseUrl)],
    ...given,
  ]);
  const own = [...parts].map(([provide, useValue]) => ({ provide, useValue }));
  const world = { ...ports, providers: [...(ports.providers ?? []), ...own], exports: [...(ports.exports ?? []), ...parts.keys()] };
  const building = Test.createTestingModule({ imports: [world, ...imports], controllers: [...controllers] })
    // The real one needs vault keys.
    .overrideProvider(OrderIdSource)
    .useValue({});
  return given.reduce((builder, [part, value]) => builder.overrideProvider(part).useValue(value), building);
};
