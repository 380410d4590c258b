import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { RequestDeadlines, SerialNumbers } from '@app/event-store';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, FAILPOINTS, provide, RANDOM } from '@app/injection';
import { DeviceOrders } from '@app/order-queries';
import { PayerPages } from '../payer/payer-pages';
import { RequestModule } from '../request/request.module';
import { KeysOfUnknownMerchants } from '../request/unknown-merchants/keys-of-unknown-merchants';
import { BodyReading } from './body-reader.guard';
import { DEVICE_API_WATCH } from './device-api.watch';
import { DeviceSessions } from './device-sessions';
import { DeviceSignatures } from './device-signatures';
import { StatusTranslation } from './order-status/status.translation';
import { PerformTranslation } from './perform/perform.translation';

const PARTS = [BodyReading, DeviceSessions, DeviceSignatures, PerformTranslation, StatusTranslation];

/** What every request of Group B passes, whichever context serves it. */
@Module({
  imports: [RequestModule],
  providers: [
    provide(
      BodyReading,
      {
        serials: SerialNumbers,
        random: RANDOM,
        failpoints: FAILPOINTS,
        deadlines: RequestDeadlines,
        watch: DEVICE_API_WATCH,
        configuration: CONFIGURATION,
      },
      (ports) => new BodyReading(ports),
    ),
    provide(DeviceOrders, { store: REQUEST_EVENT_STORE, digests: CARD_VAULT }, ({ store, digests }) => new DeviceOrders(store, digests)),
    provide(DeviceSessions, { accounts: ACCOUNTS, orders: DeviceOrders }, ({ accounts, orders }) => new DeviceSessions(accounts, orders)),
    provide(
      DeviceSignatures,
      { accounts: ACCOUNTS, unknownMerchants: KeysOfUnknownMerchants },
      ({ accounts, unknownMerchants }) => new DeviceSignatures(accounts, unknownMerchants),
    ),
    provide(
      PerformTranslation,
      { accounts: ACCOUNTS, gates: GATES, digests: CARD_VAULT, bootId: BOOT_ID, configuration: CONFIGURATION, watch: DEVICE_API_WATCH },
      (ports) => new PerformTranslation(ports),
    ),
    provide(StatusTranslation, { pages: PayerPages }, ({ pages }) => new StatusTranslation(pages)),
  ],
  exports: [...PARTS, RequestModule],
})
export class DeviceApiModule {}
