import { Global, Module, type DynamicModule } from '@nestjs/common';
import { token } from '@app/kernel/injection';
import type { Configuration } from './configuration';
import { LiveConfiguration } from './live-configuration';
import type { Accounts } from './merchants/accounts';
import type { OrchestratorEnvironment } from './orchestrator-environment';

export const CONFIGURATION = token<Configuration>('CONFIGURATION');
/** Of this process; CONFIGURATION and ACCOUNTS are its view. */
export const LIVE_CONFIGURATION = token<LiveConfiguration>('LIVE_CONFIGURATION');
export const ACCOUNTS = token<Accounts>('ACCOUNTS');
export const ENVIRONMENT = token<OrchestratorEnvironment>('ENVIRONMENT');

@Global()
@Module({})
export class ConfigurationModule {
  static forRoot(environment: OrchestratorEnvironment, configuration: Configuration): DynamicModule {
    const live = new LiveConfiguration(configuration);
    const values = [
      { provide: LIVE_CONFIGURATION, useValue: live },
      { provide: ENVIRONMENT, useValue: environment },
      { provide: CONFIGURATION, useValue: live.view },
      { provide: ACCOUNTS, useValue: live.view.accounts },
    ];
    return { module: ConfigurationModule, providers: values, exports: values.map(({ provide }) => provide) };
  }
}
