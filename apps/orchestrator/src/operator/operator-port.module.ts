import { Module, type DynamicModule } from '@nestjs/common';
import { DOCUMENT_ADDRESSES, DocsController } from './docs.controller';
import type { DocumentAddresses } from './docs/documents';
import { HEALTH, HealthController, type HealthSource } from './health.controller';
import { METRICS_ACCESS, MetricsController } from './metrics.controller';
import { OperatorAccess } from './operator-access';
import { OperatorController } from './operator.controller';
import { OperatorService } from './operator.service';
import { ServiceMetrics } from './service-metrics';

/** The operator port: health, metrics, the APIs' documents, and what operators ask and do by their tokens. */
@Module({})
export class OperatorModule {
  static over(parts: {
    readonly health: HealthSource;
    readonly metrics: ServiceMetrics;
    readonly metricsAccess: 'open' | 'token';
    readonly access: OperatorAccess;
    readonly desk: OperatorService;
    readonly documents: DocumentAddresses;
  }): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [HealthController, MetricsController, OperatorController, DocsController],
      providers: [
        { provide: HEALTH, useValue: parts.health },
        { provide: ServiceMetrics, useValue: parts.metrics },
        { provide: DOCUMENT_ADDRESSES, useValue: parts.documents },
        { provide: METRICS_ACCESS, useValue: parts.metricsAccess },
        { provide: OperatorAccess, useValue: parts.access },
        { provide: OperatorService, useValue: parts.desk },
      ],
    };
  }
}
