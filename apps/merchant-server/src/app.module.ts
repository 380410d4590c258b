import { Module, type DynamicModule } from '@nestjs/common';
import { MerchantServerModule } from '@app/merchant-server';
import { HealthController } from './health.controller';
import { StoreReadiness } from './store-readiness';

export interface MerchantServerParts {
  readonly server: Parameters<typeof MerchantServerModule.register>[0];
  readonly readiness: StoreReadiness;
}

@Module({})
export class AppModule {
  static over({ server, readiness }: MerchantServerParts): DynamicModule {
    return {
      module: AppModule,
      controllers: [HealthController],
      imports: [MerchantServerModule.register(server)],
      providers: [{ provide: StoreReadiness, useValue: readiness }],
    };
  }
}
