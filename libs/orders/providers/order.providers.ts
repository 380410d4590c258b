import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { CONFIGURATION } from '@app/configuration/configuration.module';
import { IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, RANDOM, SCHEDULER, provide } from '@app/kernel/injection';
import { OrderNumbers } from '@app/kernel';
import { CallsUnderWay } from '../application/gates/calls-under-way';
import { GateCaller } from '../application/gates/gate-caller';
import { HoldClaim } from '../application/gates/hold-claim';
import { InquireAttempt } from '../application/gates/inquire-attempt';
import { SubmitAttempt } from '../application/gates/submit-attempt';
import { CvvSubmitQueue } from '../application/gates/cvv-submit-queue';
import { ConcludeOrder } from '../application/work/conclude-order';
import { ORDER_ACCEPTANCE, ORDERS_WATCH } from '../orders.tokens';
import { RouteOrder } from '../application/acceptance/route-order';
import { RoutingRulesRepository } from '../application/rules/routing-rules-repository';
import { ScreeningRulesRepository } from '../application/rules/screening-rules-repository';
import { MonotonicWait } from '../application/monotonic-wait';
import { OrderContexts } from '../application/order-context';
import { OrderIdSource } from '../application/order-ids';
import { OrderRecorder } from '../application/order-recorder';
import { ResolveUnknownOutcome } from '../application/work/resolve-unknown-outcome';
import { ReturnPayer } from '../application/work/return-payer';
import { WorkOrder } from '../application/work/work-order.reactor';

/** What takes an order in, knows it by its id, and carries it on. */
export const orderProviders = [
  provide(
    OrderIdSource,
    {
      configuration: CONFIGURATION,
      store: REQUEST_EVENT_STORE,
      vault: CARD_VAULT,
      clock: CLOCK,
      ids: IDS,
      random: RANDOM,
      bootId: BOOT_ID,
      watch: ORDERS_WATCH,
    },
    ({ configuration, vault, watch, ...ports }) => {
      const numbers = new OrderNumbers((bytes) => vault.keyStream('order numbers', bytes));
      // Ids in text need them only for orders of a time when ids were numbers.
      if (configuration.orderIds === 'numeric') numbers.prepare();
      return new OrderIdSource({ ...ports, form: configuration.orderIds, numbers, onReserved: (used) => watch.orderNumbersReserved(used) });
    },
  ),
  provide(
    OrderContexts,
    { store: REQUEST_EVENT_STORE, orderIds: OrderIdSource },
    ({ store, orderIds }) => new OrderContexts(store, orderIds),
  ),
  provide(
    OrderRecorder,
    { contexts: OrderContexts, ids: IDS, clock: CLOCK, random: RANDOM, scheduler: SCHEDULER },
    ({ contexts, ids, clock, random, scheduler }) => new OrderRecorder(contexts, ids, clock, random, scheduler),
  ),
  provide(
    ORDER_ACCEPTANCE,
    {
      orderIds: OrderIdSource,
      store: REQUEST_EVENT_STORE,
      vault: CARD_VAULT,
      sealer: CARD_VAULT,
      cvvQueue: CvvSubmitQueue,
      screeningRules: ScreeningRulesRepository,
      routingRules: RoutingRulesRepository,
      routes: RouteOrder,
      clock: CLOCK,
      failpoints: FAILPOINTS,
      watch: ORDERS_WATCH,
    },
    ({ watch, ...ports }) => ({ ...ports, onAccepted: (stream) => watch.orderAccepted(stream) }),
  ),
  provide(
    ResolveUnknownOutcome,
    { contexts: OrderContexts, recorder: OrderRecorder, sealer: CARD_VAULT, clock: CLOCK },
    ({ contexts, recorder, sealer, clock }) => new ResolveUnknownOutcome(contexts, recorder, sealer, clock),
  ),
  provide(
    ReturnPayer,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      caller: GateCaller,
      claims: HoldClaim,
      inquiring: InquireAttempt,
      gates: GATES,
      failpoints: FAILPOINTS,
    },
    ({ contexts, recorder, caller, claims, inquiring, gates, failpoints }) =>
      new ReturnPayer(contexts, recorder, caller, claims, inquiring, gates, failpoints),
  ),
  provide(
    WorkOrder,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      submitting: SubmitAttempt,
      inquiring: InquireAttempt,
      concluding: ConcludeOrder,
      underWay: CallsUnderWay,
      clock: CLOCK,
      monotonic: MONOTONIC,
      bootId: BOOT_ID,
      isShared: IS_LOG_SHARED,
    },
    ({ contexts, recorder, submitting, inquiring, concluding, underWay, clock, monotonic, bootId, isShared }) => {
      // Where one process works, whoever held a CVV under another boot id is gone; where several do, it may be one of them.
      const isHolderGone = (holder: string): boolean => !isShared && holder !== bootId;
      const waits = new MonotonicWait(clock, monotonic);
      return new WorkOrder(contexts, recorder, submitting, inquiring, concluding, underWay, waits, clock, isHolderGone);
    },
  ),
];
