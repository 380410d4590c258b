import { Global, Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import type { BootId, Failpoints } from '@app/kernel';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import type { Configuration } from '@app/configuration';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { PerformVerificationHandler } from '@app/device-verification';
import { RequestDeadlines, SerialNumbers, type EventStore } from '@app/event-store';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import type { Gates } from '@app/gateway-adapters/contract';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { SystemModule } from '@app/injection';
import { ChooseFee, OrderContexts } from '@app/order-processing';
import { PerformTransferHandler } from '@app/transfer';
import { DEVICE_API_WATCH, type DeviceApiWatch } from '../device-api/device-api.watch';
import { PayerPages } from '../payer/payer-pages';
import type { RateLimit } from '../request/rate-limit/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { KeysOfUnknownMerchants } from '../request/unknown-merchants/keys-of-unknown-merchants';
import type { Stores } from './stores';

/** What Group B's modules ask for, as the service makes it today. */
export interface DeviceParts {
  readonly bootId: BootId;
  readonly failpoints: Failpoints;
  readonly configuration: Configuration;
  readonly store: EventStore;
  readonly vault: Stores['vault'];
  readonly gates: Gates;
  readonly deadlines: RequestDeadlines;
  readonly serials: SerialNumbers;
  readonly contexts: OrderContexts;
  readonly chooseFee: ChooseFee;
  readonly verifications: PerformVerificationHandler;
  readonly transfers: PerformTransferHandler;
  readonly unknownMerchants: KeysOfUnknownMerchants;
  readonly rateLimit: RateLimit;
  readonly pages: PayerPages;
  readonly watch: DeviceApiWatch;
}

/** Stands in for the modules of the libs until they are there. */
@Global()
@Module({})
export class BridgeBModule {
  static over(parts: DeviceParts): DynamicModule {
    const values: readonly (readonly [InjectionToken, unknown])[] = [
      [CONFIGURATION, parts.configuration],
      [ACCOUNTS, parts.configuration.accounts],
      [REQUEST_EVENT_STORE, parts.store],
      [CARD_VAULT, parts.vault],
      [GATES, parts.gates],
      [RequestDeadlines, parts.deadlines],
      [SerialNumbers, parts.serials],
      [OrderContexts, parts.contexts],
      [ChooseFee, parts.chooseFee],
      [PerformVerificationHandler, parts.verifications],
      [PerformTransferHandler, parts.transfers],
      [KeysOfUnknownMerchants, parts.unknownMerchants],
      [RATE_LIMIT, parts.rateLimit],
      [PayerPages, parts.pages],
      [DEVICE_API_WATCH, parts.watch],
    ];
    return {
      module: BridgeBModule,
      imports: [SystemModule.forRoot(parts)],
      providers: values.map(([provide, useValue]) => ({ provide, useValue })),
      exports: values.map(([provide]) => provide),
    };
  }
}
