import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { built, made, BOOT_ID } from '@app/kernel/injection';
import { DeviceOrders } from '@app/read-models/queries';
import { RequestModule } from '@app/http/request/request.module';
import { EXCHANGE_LISTENER } from '@app/http/request/request.tokens';
import { DecoyKeys } from '@app/http/request';
import { SessionVerifier, SignatureVerifier } from '@app/http/group-b';
import { PayerPages } from './payer/payer-link';
import { StatusTranslation } from './device/device-status.answer';
import { PerformTranslation } from './device/perform.translation';

const PARTS = [SessionVerifier, SignatureVerifier, PerformTranslation, StatusTranslation];

@Module({
  imports: [RequestModule],
  providers: [
    built(DeviceOrders, REQUEST_EVENT_STORE, CARD_VAULT),
    built(SessionVerifier, ACCOUNTS, DeviceOrders),
    built(SignatureVerifier, ACCOUNTS, DecoyKeys),
    made(PerformTranslation, {
      accounts: ACCOUNTS,
      gates: GATES,
      digests: CARD_VAULT,
      bootId: BOOT_ID,
      configuration: CONFIGURATION,
      listener: EXCHANGE_LISTENER,
    }),
    built(StatusTranslation, PayerPages),
  ],
  exports: [...PARTS, RequestModule],
})
export class DeviceApiModule {}
