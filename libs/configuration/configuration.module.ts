import { Global, Module, type DynamicModule } from '@nestjs/common';
import { token } from '@app/kernel/injection';
import type { Configuration } from './configuration';
import type { Accounts } from './merchants/accounts';
import type { OrchestratorEnvironment } from './orchestrator-environment';

export const CONFIGURATION = token<Configuration>('CONFIGURATION');
export const ACCOUNTS = token<Accounts>('ACCOUNTS');
export const ENVIRONMENT = token<OrchestratorEnvironment>('ENVIRONMENT');

@Global()
@Module({})
export class ConfigurationModule {
  static forRoot(environment: OrchestratorEnvironment, configuration: Configuration): DynamicModule {
    const values = [
      { provide: ENVIRONMENT, useValue: environment },
      { provide: CONFIGURATION, useValue: configuration },
      { provide: ACCOUNTS, useValue: configuration.accounts },
    ];
    return { module: ConfigurationModule, providers: values, exports: values.map(({ provide }) => provide) };
  }
}
