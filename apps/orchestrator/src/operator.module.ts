import { Module, type DynamicModule } from '@nestjs/common';
import { HEALTH, HealthController, type HealthSource } from './operator/health.controller';
import { MetricsController } from './operator/metrics.controller';
import { OperatorController } from './operator/operator.controller';
import { OperatorDesk } from './operator/operator-desk';
import { ServiceMetrics } from './operator/service-metrics';

/** The operator port: health, metrics, and what operators ask and do (safety, T43). */
@Module({})
export class OperatorModule {
  static over(parts: { readonly health: HealthSource; readonly metrics: ServiceMetrics; readonly desk: OperatorDesk }): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [HealthController, MetricsController, OperatorController],
      providers: [
        { provide: HEALTH, useValue: parts.health },
        { provide: ServiceMetrics, useValue: parts.metrics },
        { provide: OperatorDesk, useValue: parts.desk },
      ],
    };
  }
}
