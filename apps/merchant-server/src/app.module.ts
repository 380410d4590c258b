import { Module, type DynamicModule } from '@nestjs/common';
import { MerchantServerModule } from '@app/merchant-server';
import { HealthController } from './health.controller';
import { StoreReadiness } from './store-readiness';

export interface MerchantServerParts {
  readonly desk: Parameters<typeof MerchantServerModule.register>[0];
  readonly readiness: StoreReadiness;
}

/** The merchant's half of Group B as a program of its own, for products that have no server to mount it in. */
@Module({})
export class AppModule {
  static over({ desk, readiness }: MerchantServerParts): DynamicModule {
    return {
      module: AppModule,
      controllers: [HealthController],
      imports: [MerchantServerModule.register(desk)],
      providers: [{ provide: StoreReadiness, useValue: readiness }],
    };
  }
}
