import { Global, Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import type { BootId, Failpoints } from '@app/kernel';
import { IssuedReferences, RegisterCardHandler } from '@app/card-registration';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import type { Configuration } from '@app/configuration';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import type { EgressPolicy } from '@app/egress';
import { EGRESS_POLICY } from '@app/egress/egress.tokens';
import { RequestDeadlines, SerialNumbers, type EventStore } from '@app/event-store';
import { IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import type { Gates } from '@app/gateway-adapters/contract';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { SystemModule } from '@app/injection';
import { RequestFollowUpHandler } from '@app/order-processing';
import { CurrentOrderReader } from '@app/order-queries';
import { AcceptPaymentHandler } from '@app/payment';
import { ChargeRegisteredCardHandler } from '@app/recurring';
import { MERCHANT_API_WATCH, type MerchantApiWatch } from '../merchant-api/merchant-api.watch';
import { PayerPages } from '../payer/payer-pages';
import type { RateLimit } from '../request/rate-limit/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { KeysOfUnknownMerchants } from '../request/unknown-merchants/keys-of-unknown-merchants';
import type { Stores } from './stores';

/** What Group A's modules ask for, as the service makes it today. */
export interface MerchantParts {
  readonly bootId: BootId;
  readonly failpoints: Failpoints;
  readonly configuration: Configuration;
  readonly store: EventStore;
  readonly isShared: boolean;
  readonly vault: Stores['vault'];
  readonly gates: Gates;
  readonly policy: EgressPolicy;
  readonly deadlines: RequestDeadlines;
  readonly serials: SerialNumbers;
  readonly nobody: KeysOfUnknownMerchants;
  readonly rateLimit: RateLimit;
  readonly pages: PayerPages;
  readonly orders: CurrentOrderReader;
  readonly issued: IssuedReferences;
  readonly payment: AcceptPaymentHandler;
  readonly recurring: ChargeRegisteredCardHandler;
  readonly registration: RegisterCardHandler;
  readonly followUps: RequestFollowUpHandler;
  readonly watch: MerchantApiWatch;
}

/** Stands in for the modules of the libs until they are there. */
@Global()
@Module({})
export class BridgeAModule {
  static over(parts: MerchantParts): DynamicModule {
    const values: readonly (readonly [InjectionToken, unknown])[] = [
      [CONFIGURATION, parts.configuration],
      [ACCOUNTS, parts.configuration.accounts],
      [REQUEST_EVENT_STORE, parts.store],
      [IS_LOG_SHARED, parts.isShared],
      [CARD_VAULT, parts.vault],
      [GATES, parts.gates],
      [EGRESS_POLICY, parts.policy],
      [RequestDeadlines, parts.deadlines],
      [SerialNumbers, parts.serials],
      [KeysOfUnknownMerchants, parts.nobody],
      [RATE_LIMIT, parts.rateLimit],
      [PayerPages, parts.pages],
      [CurrentOrderReader, parts.orders],
      [IssuedReferences, parts.issued],
      [AcceptPaymentHandler, parts.payment],
      [ChargeRegisteredCardHandler, parts.recurring],
      [RegisterCardHandler, parts.registration],
      [RequestFollowUpHandler, parts.followUps],
      [MERCHANT_API_WATCH, parts.watch],
    ];
    return {
      module: BridgeAModule,
      imports: [SystemModule.forRoot(parts)],
      providers: values.map(([provide, useValue]) => ({ provide, useValue })),
      exports: values.map(([provide]) => provide),
    };
  }
}
