import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { CLOCK, type Injectable } from '@app/kernel/injection';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { OperatorAudit } from '@app/investigation/record';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { API_DOCUMENTS } from '../documents/api-documents';
import { DocumentsController } from '../documents/documents.controller';
import { OPERATOR_DOCUMENTS } from '../documents/documents.module';
import { HEALTH, HealthController } from '../monitoring/health.controller';
import { MetricsController, MetricsGuard } from './metrics.controller';
import { OPERATOR_CONTROLLERS, OperatorMethodsController } from './operator-methods.controller';
import { OPERATOR_LISTENER, OperatorGuard } from './operator.guard';
import { SignIn, SignInGuard } from './session.controller';
import { ServiceMetrics } from '../monitoring/service-metrics';
import { OPERATOR_PARTS } from './operator.module';

const SERVICE_PARTS: readonly Injectable<unknown>[] = [
  CLOCK,
  CONFIGURATION,
  ENVIRONMENT,
  HEALTH,
  ServiceMetrics,
  OPERATOR_LISTENER,
  OperatorAudit,
  CARD_VAULT,
  ...OPERATOR_PARTS,
];

/** The operator port: a separate Nest application and socket. */
@Module({})
export class OperatorPortModule {
  /** @param container of the service, which closes its parts itself */
  static over(container: Pick<INestApplicationContext, 'get'>): DynamicModule {
    return {
      module: OperatorPortModule,
      controllers: [
        HealthController,
        MetricsController,
        ...OPERATOR_CONTROLLERS,
        DocumentsController,
        // Must be last: it answers every path that no other controller takes.
        OperatorMethodsController,
      ],
      providers: [
        OperatorGuard,
        MetricsGuard,
        SignIn,
        SignInGuard,
        ...SERVICE_PARTS.map((part) => ({ provide: part, useFactory: (): unknown => container.get(part, { strict: false }) })),
        { provide: API_DOCUMENTS, useFactory: (): unknown => container.get(OPERATOR_DOCUMENTS, { strict: false }) },
      ],
    };
  }
}
