import { Module } from '@nestjs/common';
import { token, provide } from '@app/kernel/injection';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { type EgressPolicy, egressPolicyOf } from './target';

/** The rules for the addresses that may be called. */
export const EGRESS_POLICY = token<EgressPolicy>('EGRESS_POLICY');

/** Which addresses are called, for whoever opens an egress or accepts an address of a merchant. */
@Module({
  providers: [
    provide(EGRESS_POLICY, { configuration: CONFIGURATION, environment: ENVIRONMENT }, ({ configuration, environment }) =>
      egressPolicyOf(configuration.egress, environment.isProduction),
    ),
  ],
  exports: [EGRESS_POLICY],
})
export class EgressModule {}
