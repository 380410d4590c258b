import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController } from './health.controller';
import { StoreReadiness } from './store-readiness';
import { MerchantMetrics } from './merchant-metrics';
import { MetricsController } from './metrics.controller';

/** Health and metrics, on a port that neither apps nor the gateway can reach. */
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
