import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController } from './health.controller';
import { MerchantMetrics } from './operator/merchant-metrics';
import { MetricsController } from './operator/metrics.controller';
import { StoreReadiness } from './store-readiness';

/** Health and metrics for the server's operators, on a port that neither apps nor the gateway reach. */
@Module({})
export class OperatorModule {
  static over(parts: { readonly readiness: StoreReadiness; readonly metrics: MerchantMetrics }): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [HealthController, MetricsController],
      providers: [
        { provide: StoreReadiness, useValue: parts.readiness },
        { provide: MerchantMetrics, useValue: parts.metrics },
      ],
    };
  }
}
