import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { DOCUMENT_ADDRESSES, DocsController } from './operator/docs.controller';
import type { DocumentAddresses } from './operator/docs/documents';
import { HEALTH, HealthController, type HealthSource } from './operator/health.controller';
import { METRICS_ACCESS, MetricsController } from './operator/metrics.controller';
import { OperatorAccess } from './operator/operator-access';
import { OperatorController } from './operator/operator.controller';
import { OperatorService } from './operator/operator.service';
import { ServiceMetrics } from './operator/service-metrics';

/** The operator port: health, metrics, the APIs' documents, and what operators ask and do by their tokens. */
@Module({})
export class OperatorPortModule {
  /** @param service whose parts this port serves: two ports are two Nest applications, and what they share belongs to one of them */
  static over(service: INestApplicationContext): DynamicModule {
    const environment = service.get(ENVIRONMENT, { strict: false });
    const { publicBaseUrl, pathPrefix } = service.get(CONFIGURATION, { strict: false });
    const documents: DocumentAddresses = {
      gateway: publicBaseUrl + pathPrefix,
      operator: `http://${environment.operatorHost}:${environment.operatorPort}`,
    };
    return {
      module: OperatorPortModule,
      controllers: [HealthController, MetricsController, OperatorController, DocsController],
      providers: [
        { provide: HEALTH, useValue: service.get<HealthSource>(HEALTH, { strict: false }) },
        { provide: ServiceMetrics, useValue: service.get(ServiceMetrics, { strict: false }) },
        { provide: DOCUMENT_ADDRESSES, useValue: documents },
        { provide: METRICS_ACCESS, useValue: environment.operatorMetrics },
        { provide: OperatorAccess, useValue: service.get(OperatorAccess, { strict: false }) },
        { provide: OperatorService, useValue: service.get(OperatorService, { strict: false }) },
      ],
    };
  }
}
