import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { IssuedReferences, RegisterCardHandler } from '@app/card-registration';
import { CardRegistrationModule } from '@app/card-registration/card-registration.module';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { ResendCallback } from '@app/deliveries';
import { DeliveriesModule } from '@app/deliveries/deliveries.module';
import { PerformVerificationHandler } from '@app/device-verification';
import { DeviceVerificationModule } from '@app/device-verification/device-verification.module';
import { EgressModule } from '@app/egress/egress.module';
import { EGRESS_POLICY } from '@app/egress/egress.tokens';
import type { Egress } from '@app/egress';
import { RequestDeadlines, SerialNumbers } from '@app/event-store';
import { EVENT_STORE, IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, CLOCK, FAILPOINTS, IDS, provide, token } from '@app/injection';
import { OperatorAudit } from '@app/operator-audit';
import { OperatorAuditModule } from '@app/operator-audit/operator-audit.module';
import { ChooseFee, OrderContexts, OrderIdSource, RequestFollowUpHandler, ResolveUnknownFollowUp, ResolveUnknownOutcome, ReturnPayer } from '@app/order-processing'; // prettier-ignore
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { MERCHANT_SERVER, ORDER_PROCESSING_WATCH } from '@app/order-processing/order-processing.tokens';
import { CurrentOrderReader } from '@app/order-queries';
import { OrderQueriesModule } from '@app/order-queries/order-queries.module';
import { AcceptPaymentHandler } from '@app/payment';
import { PaymentModule } from '@app/payment/payment.module';
import { READ_MODEL } from '@app/projections/projections.tokens';
import { ChargeRegisteredCardHandler } from '@app/recurring';
import { RecurringModule } from '@app/recurring/recurring.module';
import { PerformTransferHandler } from '@app/transfer';
import { TransferModule } from '@app/transfer/transfer.module';
import { SERVICE_LOG } from '../monitoring/monitoring.module';
import { OperatorAccess } from '../operator/operator-access';
import { OperatorService } from '../operator/operator.service';
import { ServiceMetrics } from '../operator/service-metrics';
import { PayerPages } from '../payer/payer-pages';
import { SIMULATOR_PAGES } from '../payer/simulator-page.controller';
import { RequestModule } from '../request/request.module';
import { RATE_LIMIT } from '../request/request.tokens';
import { operatorService, operatorsOf } from './operator';
import type { PublicParts } from './public-parts';
import { publicSide } from './public-side';

export const PUBLIC_PARTS = token<Omit<PublicParts, 'health'>>('PUBLIC_PARTS');

@Global()
@Module({})
export class BridgeModule {
  static forRoot(): DynamicModule {
    const providers = [
      provide(
        PUBLIC_PARTS,
        {
          configuration: CONFIGURATION, log: SERVICE_LOG, store: REQUEST_EVENT_STORE, isShared: IS_LOG_SHARED, vault: CARD_VAULT,
          readModel: READ_MODEL, serials: SerialNumbers, gates: GATES, simulatorPages: SIMULATOR_PAGES, pages: PayerPages, bootId: BOOT_ID,
          rateLimit: RATE_LIMIT, deadlines: RequestDeadlines, orders: CurrentOrderReader, policy: EGRESS_POLICY, issued: IssuedReferences,
          followUps: RequestFollowUpHandler, returnPayer: ReturnPayer, failpoints: FAILPOINTS,
          payment: AcceptPaymentHandler, recurring: ChargeRegisteredCardHandler, registration: RegisterCardHandler,
          watch: ORDER_PROCESSING_WATCH, metrics: ServiceMetrics,
        }, // prettier-ignore
        (ports) => publicSide(ports),
      ),
      provide(
        OperatorAccess,
        { configuration: CONFIGURATION, environment: ENVIRONMENT, audit: OperatorAudit, openBefore: EVENT_STORE },
        ({ configuration, environment, audit }) => new OperatorAccess(operatorsOf(configuration.operators, environment), audit),
      ),
      provide(
        OperatorService,
        {
          store: EVENT_STORE, readModel: READ_MODEL, orders: CurrentOrderReader, sealer: CARD_VAULT, accounts: ACCOUNTS, clock: CLOCK, ids: IDS,
          audit: OperatorAudit, resolveUnknownOutcome: ResolveUnknownOutcome, resolveUnknownFollowUp: ResolveUnknownFollowUp, resending: ResendCallback,
        }, // prettier-ignore
        (ports) => operatorService(ports),
      ),
    ];
    return {
      module: BridgeModule,
      imports: [
        PaymentModule, RecurringModule, CardRegistrationModule, DeviceVerificationModule, TransferModule, OrderProcessingModule, OrderQueriesModule,
        EgressModule, DeliveriesModule, OperatorAuditModule, RequestModule,
      ], // prettier-ignore
      providers,
      exports: [PUBLIC_PARTS, OperatorAccess, OperatorService, OperatorAuditModule],
    };
  }
}
