import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import type { Injectable } from '@app/injection';
import { API_DOCUMENTS } from '../documents/api-documents';
import { DocumentsController } from '../documents/documents.controller';
import { OPERATOR_DOCUMENTS } from '../documents/documents.module';
import { HEALTH, HealthController } from './health.controller';
import { METRICS_ACCESS, MetricsController, MetricsGuard } from './metrics.controller';
import { OperatorAccess } from './operator-access';
import { OperatorController } from './operator.controller';
import { OperatorGuard } from './operator.guard';
import { OperatorService } from './operator.service';
import { ServiceMetrics } from './service-metrics';

/** What the port is given by the container of the service. */
const PARTS: readonly Injectable<unknown>[] = [HEALTH, ServiceMetrics, METRICS_ACCESS, OperatorAccess, OperatorService];

/** The operator port, an application with a socket of its own: health, metrics, the APIs' documents, and what operators ask and do by their tokens. */
@Module({})
export class OperatorPortModule {
  /** @param container where the service's parts are; what it closes is closed by it */
  static over(container: Pick<INestApplicationContext, 'get'>): DynamicModule {
    return {
      module: OperatorPortModule,
      controllers: [HealthController, MetricsController, OperatorController, DocumentsController],
      providers: [
        OperatorGuard,
        MetricsGuard,
        ...PARTS.map((part) => ({ provide: part, useFactory: (): unknown => container.get(part, { strict: false }) })),
        { provide: API_DOCUMENTS, useFactory: (): unknown => container.get(OPERATOR_DOCUMENTS, { strict: false }) },
      ],
    };
  }
}
