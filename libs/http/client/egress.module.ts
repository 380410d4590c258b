import { Module } from '@nestjs/common';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { provide } from '@app/kernel/injection';
import { EGRESS_POLICY } from './egress.tokens';
import { egressPolicyOf } from './target';

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
