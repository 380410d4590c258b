import { Module } from '@nestjs/common';
import { token, provide } from '@app/kernel/injection';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { type EgressPolicy, egressPolicyOf } from './target';

export const EGRESS_POLICY = token<EgressPolicy>('EGRESS_POLICY');

@Module({
  providers: [
    provide(EGRESS_POLICY, { configuration: CONFIGURATION, environment: ENVIRONMENT }, ({ configuration, environment }) =>
      egressPolicyOf(configuration.egress, environment.isProduction),
    ),
  ],
  exports: [EGRESS_POLICY],
})
export class EgressModule {}
