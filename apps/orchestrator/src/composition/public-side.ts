import { systemClock, systemIds, systemRandom, systemScheduler, type BootId, type Failpoints } from '@app/kernel';
import type { EnvelopeCardVault } from '@app/card-vault';
import type { EventStore, RequestDeadlines, SerialNumbers } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import type { Configuration } from '@app/configuration';
import type { ReadModel } from '@app/projections';
import type { NamedRequest, RequestFollowUpHandler, ReturnPayer } from '@app/order-processing';
import type { OrderProcessingWatch } from '@app/order-processing/order-processing.tokens';
import type { CurrentOrderReader } from '@app/order-queries';
import type { PayerPages } from '../payer/payer-pages';
import type { ServiceLog } from '@app/http-server';
import type { ServiceMetrics } from '../operator/service-metrics';
import { PayerJourney } from '../payer/payer-journey';
import type { SimulatorPages } from '../payer/simulator-page.controller';
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
