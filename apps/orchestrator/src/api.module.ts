import { Inject, Module } from '@nestjs/common';
import type { LiveConfiguration } from '@app/configuration';
import { LIVE_CONFIGURATION } from '@app/configuration/configuration.module';
import { DeviceVerificationApiModule } from '@app/device-verification/device-verification.module';
import { DecoyKeys } from '@app/http/request';
import { RequestModule } from '@app/http/request/request.module';
import { PayerModule } from '@app/orders/http/payer/payer.module';
import { ReceiptModule } from '@app/orders/http/receipt.module';
import { TransferApiModule } from '@app/transfer/transfer.module';
import { InboundModule } from './gates/inbound.module';
import { SimulatorPageModule } from './gates/simulator-page.module';
import { GroupAModule } from './group-a.module';

/** The role `api`. Express matches the paths of these modules in this order. */
@Module({
  imports: [
    RequestModule,
    TransferApiModule,
    GroupAModule,
    DeviceVerificationApiModule,
    PayerModule,
    InboundModule,
    SimulatorPageModule,
    ReceiptModule,
  ],
})
export class ApiModule {
  constructor(@Inject(LIVE_CONFIGURATION) live: LiveConfiguration, @Inject(DecoyKeys) decoys: DecoyKeys) {
    live.onChange(({ accounts }) => decoys.prepare(accounts));
  }
}
