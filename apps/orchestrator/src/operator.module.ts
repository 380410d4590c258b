import { Module, type DynamicModule } from '@nestjs/common';
import { HEALTH, HealthController, type HealthSource } from './operator/health.controller';
import { MetricsController } from './operator/metrics.controller';
import { ServiceMetrics } from './operator/service-metrics';

/** The operator port: health and metrics. */
@Module({})
export class OperatorModule {
  static over(parts: { readonly health: HealthSource; readonly metrics: ServiceMetrics }): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [HealthController, MetricsController],
      providers: [
        { provide: HEALTH, useValue: parts.health },
        { provide: ServiceMetrics, useValue: parts.metrics },
      ],
    };
  }
}
