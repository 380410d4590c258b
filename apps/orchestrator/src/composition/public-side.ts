import { systemClock, systemIds, systemRandom, systemScheduler, type BootId, type Failpoints } from '@app/kernel';
import type { IssuedReferences, RegisterCardHandler } from '@app/card-registration';
import type { EnvelopeCardVault } from '@app/card-vault';
import type { EgressPolicy } from '@app/egress';
import type { EventStore, RequestDeadlines, SerialNumbers } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import type { Configuration } from '@app/configuration';
import type { ReadModel } from '@app/projections';
import type { NamedRequest, RequestFollowUpHandler, ReturnPayer } from '@app/order-processing';
import type { OrderProcessingWatch } from '@app/order-processing/order-processing.tokens';
import type { CurrentOrderReader } from '@app/order-queries';
import { GroupAEdge } from '../group-a/group-a.edge';
import { IdempotencyKeys } from '../group-a/idempotency/idempotency-keys';
import { OAuthVerifier } from '../group-a/oauth/oauth-verifier';
import { StatusAnswer } from '../group-a/order-status/order-status.answer';
import type { TakesPayments } from '../group-a/payment/initial-payment.operation';
import type { ChargesRegisteredCards } from '../group-a/recurring/make-rebill.operation';
import type { PayerPages } from '../payer/payer-pages';
import type { ServiceLog } from '@app/http-server';
import { withTrace } from '../monitoring/order-log';
import type { ServiceMetrics } from '../operator/service-metrics';
import { PayerJourney } from '../payer/payer-journey';
import type { SimulatorPages } from '../payer/simulator-page.controller';
import type { RateLimit } from '../request/rate-limit/rate-limit';
import { KeysOfUnknownMerchants } from '../request/unknown-merchants/keys-of-unknown-merchants';
import { groupAOperations } from './group-a-operations';
import type { PublicParts } from './public-parts';
import { receipts } from './receipts';

/** How long a request with an Idempotency-Key may be under way in another process before it is thought to have died with it. */
const REQUEST_UNDER_WAY_MS = 5_000;

export interface PublicSide {
  readonly configuration: Configuration;
  readonly log: ServiceLog;
  readonly store: EventStore;
  readonly isShared: boolean;
  readonly vault: EnvelopeCardVault;
  readonly readModel: ReadModel;
  readonly serials: SerialNumbers;
  readonly gates: Gates;
  readonly simulatorPages: SimulatorPages;
  readonly pages: PayerPages;
  readonly bootId: BootId;
  readonly rateLimit: RateLimit;
  readonly deadlines: RequestDeadlines;
  readonly orders: CurrentOrderReader;
  readonly policy: EgressPolicy;
  readonly issued: IssuedReferences;
  readonly followUps: RequestFollowUpHandler;
  readonly returnPayer: ReturnPayer;
  readonly failpoints: Failpoints;
  readonly payment: TakesPayments;
  readonly recurring: ChargesRegisteredCards;
  readonly registration: RegisterCardHandler;
  readonly watch: OrderProcessingWatch;
  readonly metrics: ServiceMetrics;
}

/** What serves the requests of merchants and of payers' browsers. */
export const publicSide = (side: PublicSide): Omit<PublicParts, 'health'> => {
  const { configuration, log, vault, store, isShared, readModel, serials, gates, pages, bootId, rateLimit, issued, orders, policy, deadlines, failpoints, metrics, watch } = side; // prettier-ignore
  const { accounts } = configuration;
  const world = { clock: systemClock, ids: systemIds, random: systemRandom, scheduler: systemScheduler };
  const nobody = new KeysOfUnknownMerchants(accounts);
  const onRequestError = ({ serial, callerTrace }: NamedRequest, error: unknown): void =>
    log.failure('request.failed', error, withTrace({ serial, callerTrace }));
  return {
    edge: new GroupAEdge({
      accounts,
      nobody,
      serials,
      oauth: new OAuthVerifier({ publicBaseUrl: configuration.publicBaseUrl, store, nobody, digests: vault, clock: systemClock }),
      idempotencyKeys: new IdempotencyKeys({
        store,
        digests: vault,
        scheduler: systemScheduler,
        underWayMs: isShared ? REQUEST_UNDER_WAY_MS : 0,
        onError: onRequestError,
      }),
      clock: systemClock,
      failpoints,
      rateLimit,
      deadlines,
      onServed: (served) => {
        metrics.served(served);
        log.info('request.served', { ...served });
      },
      onError: onRequestError,
    }),
    operations: groupAOperations({
      intake: { accounts, gates, digests: vault, egress: policy, bootId, payerMs: configuration.threeDSecure.payerMs },
      payment: side.payment,
      recurring: side.recurring,
      followUps: side.followUps,
      registration: side.registration,
      references: issued,
      sealer: vault,
      orders,
      statusAnswer: new StatusAnswer({ sealer: vault, accounts, pages }),
    }),
    payerJourney: new PayerJourney({
      ...world,
      orders,
      returnPayer: side.returnPayer,
      sealer: vault,
      accounts,
      deadlines,
      onError: (error, stream) => watch.workFailed({ ...(stream !== undefined && { stream }), task: 'payer' }, error),
    }),
    receipts: receipts({ store, readModel, orders, accounts, scheduler: systemScheduler, deadlines, onError: (error) => log.failure('receipt.unread', error) }), // prettier-ignore
    simulatorPages: side.simulatorPages,
  };
};
