import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, provide } from '@app/kernel/injection';
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
    provide(DeviceOrders, { store: REQUEST_EVENT_STORE, digests: CARD_VAULT }, ({ store, digests }) => new DeviceOrders(store, digests)),
    provide(SessionVerifier, { accounts: ACCOUNTS, orders: DeviceOrders }, ({ accounts, orders }) => new SessionVerifier(accounts, orders)),
    provide(
      SignatureVerifier,
      { accounts: ACCOUNTS, unknownMerchants: DecoyKeys },
      ({ accounts, unknownMerchants }) => new SignatureVerifier(accounts, unknownMerchants),
    ),
    provide(
      PerformTranslation,
      { accounts: ACCOUNTS, gates: GATES, digests: CARD_VAULT, bootId: BOOT_ID, configuration: CONFIGURATION, listener: EXCHANGE_LISTENER },
      (ports) => new PerformTranslation(ports),
    ),
    provide(StatusTranslation, { pages: PayerPages }, ({ pages }) => new StatusTranslation(pages)),
  ],
  exports: [...PARTS, RequestModule],
})
export class DeviceApiModule {}
