import { systemClock, systemIds, systemRandom, systemScheduler, type BootId, type OrderIds } from '@app/kernel';
import { RegisterCardHandler, type IssuedReferences } from '@app/card-registration';
import type { EgressPolicy } from '@app/egress';
import { PerformVerificationHandler } from '@app/device-verification';
import type { RequestDeadlines, SerialNumbers, StreamName } from '@app/event-store';
import type { Configuration } from '@app/configuration';
import { AcceptPaymentHandler } from '@app/payment';
import type { ReadModel } from '@app/projections';
import { ChargeRegisteredCardHandler, type CardReferences } from '@app/recurring';
import type { NamedRequest } from '@app/order-processing';
import { PerformTransferHandler } from '@app/transfer';
import { GroupAEdge, type ServedRequest } from '../group-a/group-a.edge';
import { IdempotencyKeys } from '../group-a/idempotency/idempotency-keys';
import { OAuthVerifier } from '../group-a/oauth/oauth-verifier';
import { StatusAnswer } from '../group-a/order-status/order-status.answer';
import type { PayerPages } from '../group-a/order-status/payer-addresses';
import { GroupBEdge, type ServedDeviceRequest } from '../group-b/group-b.edge';
import type { ServiceLog } from '@app/http-server';
import { PayerJourney } from '../payer/payer-journey';
import type { RateLimit } from '../rate-limit/rate-limit';
import { KeysOfUnknownMerchants } from '../unknown-merchants/keys-of-unknown-merchants';
import type { ConfiguredGates } from './gates';
import { groupAOperations } from './group-a-operations';
import { groupBEndpoints } from './group-b';
import type { CurrentOrderReader } from '@app/order-queries';
import { withTrace, type About } from './order-log';
import type { OrderProcessing } from './processing';
import type { PublicParts } from './public-parts';
import { receipts } from './receipts';
import type { Stores } from './stores';
import type { TestSwitches } from './test-switches';

/** How long a request with an Idempotency-Key may be under way in another process before it is thought to have died with it. */
const REQUEST_UNDER_WAY_MS = 5_000;

export interface PublicSide {
  readonly configuration: Configuration;
  readonly switches: TestSwitches;
  readonly log: ServiceLog;
  readonly stores: Stores;
  readonly readModel: ReadModel;
  readonly serials: SerialNumbers;
  readonly gates: ConfiguredGates;
  readonly pages: PayerPages;
  readonly bootId: BootId;
  readonly rateLimit: RateLimit;
  readonly deadlines: RequestDeadlines;
  readonly orderIds: OrderIds;
  readonly orders: CurrentOrderReader;
  readonly policy: EgressPolicy;
  readonly processing: OrderProcessing;
  readonly issued: IssuedReferences;
  readonly onOrderError: (about: About, error: unknown) => void;
  readonly onServed: (served: ServedRequest) => void;
  readonly onDeviceServed: (served: ServedDeviceRequest) => void;
  readonly onAmbiguousSignature: () => void;
  readonly onOrderTaken: (stream: StreamName) => void;
}

/** What serves the requests of merchants and of payers' browsers. */
export const publicSide = (side: PublicSide): Omit<PublicParts, 'health'> => {
  const {
    configuration,
    switches,
    log,
    stores,
    readModel,
    serials,
    gates,
    pages,
    bootId,
    rateLimit,
    issued,
    orderIds,
    orders,
    policy,
    processing,
  } = side;
  const { vault } = stores;
  const { isShared } = stores.log;
  const { deadlines } = side;
  const store = deadlines.guarding(stores.log.store);
  const { failpoints } = switches;
  const { accounts } = configuration;
  const { contexts, cvvQueue, device, followUps, returnPayer, screeningRules } = processing;
  const world = { clock: systemClock, ids: systemIds, random: systemRandom, scheduler: systemScheduler };
  const taking = { ...world, orderIds, store, vault, sealer: vault, cvvQueue, screeningRules, failpoints, onAccepted: side.onOrderTaken };
  const nobody = new KeysOfUnknownMerchants(accounts);
  const payment = new AcceptPaymentHandler(taking);
  const references: CardReferences = {
    find: async (merchant, cardRefId, deadline) => {
      const found = await issued.find(merchant, cardRefId, deadline);
      if (found === undefined) return { kind: 'unknown' };
      return found.use === 'destination' ? { kind: 'destination' } : { kind: 'source', card: found.card, customer: found.customer };
    },
  };
  const recurring = new ChargeRegisteredCardHandler({ ...taking, references });
  const registration = new RegisterCardHandler({ store, orders, digests: vault, clock: systemClock });
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
      onServed: side.onServed,
      onError: onRequestError,
    }),
    operations: groupAOperations({
      intake: { accounts, gates, digests: vault, egress: policy, bootId, payerMs: configuration.threeDSecure.payerMs },
      payment,
      recurring,
      followUps: followUps.request,
      registration,
      references: issued,
      sealer: vault,
      orders,
      statusAnswer: new StatusAnswer({ sealer: vault, accounts, pages }),
    }),
    deviceEdge: new GroupBEdge({
      ...world,
      serials,
      failpoints,
      rateLimit,
      deadlines,
      httpErrors: configuration.groupB.httpErrors,
      onServed: side.onDeviceServed,
      onError: onRequestError,
    }),
    deviceEndpoints: groupBEndpoints({
      configuration,
      nobody,
      store,
      digests: vault,
      gates,
      pages,
      bootId,
      contexts,
      fees: device.chooseFee,
      verifications: new PerformVerificationHandler({ ...taking, digests: vault }),
      transfers: new PerformTransferHandler({ ...taking, digests: vault }),
      onAmbiguousSignature: side.onAmbiguousSignature,
    }),
    payerJourney: new PayerJourney({
      ...world,
      orders,
      returnPayer,
      sealer: vault,
      accounts,
      deadlines,
      onError: (error, stream) => side.onOrderError({ ...(stream !== undefined && { stream }), task: 'payer' }, error),
    }),
    receipts: receipts({
      store,
      readModel,
      orders,
      accounts,
      scheduler: systemScheduler,
      deadlines,
      onError: (error) => log.failure('receipt.unread', error),
    }),
    simulatorPages: gates,
  };
};
