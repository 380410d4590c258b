import { Module, type DynamicModule } from '@nestjs/common';
import { MerchantDeskModule } from '@app/merchant-server';
import { HealthController } from './health.controller';
import { StoreReadiness } from './store-readiness';

export interface MerchantServerParts {
  readonly desk: Parameters<typeof MerchantDeskModule.register>[0];
  readonly readiness: StoreReadiness;
}

/** The merchant's half of Group B as a program of its own, for products that have no server to mount it in. */
@Module({})
export class MerchantServerModule {
  static over({ desk, readiness }: MerchantServerParts): DynamicModule {
    return {
      module: MerchantServerModule,
      controllers: [HealthController],
      imports: [MerchantDeskModule.register(desk)],
      providers: [{ provide: StoreReadiness, useValue: readiness }],
    };
  }
}
