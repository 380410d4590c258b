import type { BootId, Clock, Failpoints, Ids, Monotonic, OrderIds, Random, Scheduler } from '@app/kernel';
import type { CardVault, OrderSealer, ServiceDigests } from '@app/card-vault';
import type { AnyEvent, EventStore, StreamName } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import { deviceVerificationContext } from '@app/device-verification';
import {
  CheckOrder,
  ChooseFee,
  ConcludeOrder,
  InlineConclusion,
  CvvSubmitQueue,
  gateCalling,
  InquireAttempt,
  InquireFollowUp,
  OrderContexts,
  OrderRecorder,
  MonotonicWait,
  QuoteFees,
  RandomSums,
  RequestFollowUpHandler,
  ReturnPayer,
  ScreeningRulesRepository,
  ScreenOrder,
  ResolveUnknownFollowUp,
  ResolveUnknownOutcome,
  SubmitAttempt,
  SubmitFollowUp,
  Velocity,
  WorkFollowUp,
  WorkOrder,
  type CardMapping,
  type GateCall,
  type MerchantServer,
  type OpenOrder,
  type PayerAddresses,
} from '@app/order-processing';
import { isContradiction } from '@app/order-processing/domain';
import { paymentContext } from '@app/payment';
import { recurringContext } from '@app/recurring';
import { transferContext } from '@app/transfer';
import type { About } from './order-log';

export interface ProcessingPorts {
  readonly store: EventStore;
  readonly orderIds: Pick<OrderIds, 'kindOf'>;
  readonly vault: CardVault;
  readonly sealer: OrderSealer;
  readonly digests: ServiceDigests;
  readonly gates: Gates;
  readonly payer: PayerAddresses;
  readonly merchantServer: MerchantServer;
  readonly cardMapping: CardMapping;
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly ids: Ids;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly failpoints: Failpoints;
  readonly bootId: BootId;
  /** Other processes work on the same log. */
  readonly isShared: boolean;
  readonly onOrderError: (about: About, error: unknown) => void;
  /** What a gate's adapter threw, or what kept a gate's late word from being recorded. */
  readonly onGateError: (call: Partial<GateCall>, error: unknown) => void;
  /** A gate answered after the time that a call has. */
  readonly onLateAnswer: (call: GateCall, answer: string) => void;
  /** A gate contradicts what the order's stream holds: money may stand otherwise, and somebody has to look (safety, I4). */
  readonly onContradiction: (stream: StreamName) => void;
  /** Told of every append that is made here, and how the order stands with it. */
  readonly onOrderMoved: (order: OpenOrder, events: readonly AnyEvent[]) => void;
}

export interface OrderProcessing {
  readonly contexts: OrderContexts;
  readonly cvvQueue: CvvSubmitQueue;
  readonly returnPayer: ReturnPayer;
  readonly screeningRules: ScreeningRulesRepository;
  readonly resolveUnknownOutcome: ResolveUnknownOutcome;
  readonly workOrder: WorkOrder;
  readonly followUps: FollowUpProcessing;
  readonly device: DeviceProcessing;
  readonly room: GateRoom;
}

/** Calls that outlived their time take the room of their lane until they end. */
export interface GateRoom {
  takenIn(lane: string): number;
  /** Told when a lane has more of it. One listener. */
  tell(onRoom: () => void): void;
}

export interface DeviceProcessing {
  readonly chooseFee: ChooseFee;
  readonly inlineConclusion: InlineConclusion;
}

export interface FollowUpProcessing {
  readonly request: RequestFollowUpHandler;
  readonly work: WorkFollowUp;
  readonly settle: ResolveUnknownFollowUp;
}

/** Order-processing with every context that takes orders registered (architecture, rule 14). */
export const orderProcessing = (ports: ProcessingPorts): OrderProcessing => {
  const {
    store,
    orderIds,
    vault,
    sealer,
    digests,
    gates,
    payer,
    merchantServer,
    cardMapping,
    clock,
    monotonic,
    ids,
    random,
    scheduler,
    failpoints,
    bootId,
    isShared,
    onOrderError,
    onGateError,
    onLateAnswer,
    onContradiction,
    onOrderMoved,
  } = ports;
  const contexts = new OrderContexts(store, orderIds);
  contexts.register(paymentContext);
  contexts.register(recurringContext);
  contexts.register(deviceVerificationContext);
  contexts.register(transferContext);
  const recorder = new OrderRecorder(contexts, ids, clock, random, scheduler);
  const onAdapterError = (error: unknown, call: GateCall): void => onGateError(call, error);
  const calling = gateCalling({ contexts, sealer, digests, clock, monotonic, random, scheduler, isShared, onAdapterError, onLateAnswer });
  const { caller, claims, underWay } = calling;
  const screeningRules = new ScreeningRulesRepository(store, clock);
  const screening = new ScreenOrder({ rules: screeningRules, velocity: new Velocity(store, clock), recorder, sealer, digests, clock });
  const randomSums = new RandomSums(store, digests);
  const fees = new QuoteFees(gates, scheduler, random, (error, gate) => onGateError({ gate }, error));
  const checking = new CheckOrder({ merchantServer, recorder, fees, randomSums, clock, scheduler });
  const concluding = new ConcludeOrder({ mapping: cardMapping, merchantServer, randomSums, recorder, clock });
  const submitting = new SubmitAttempt(recorder, caller, claims, gates, vault, checking, screening, payer, ids, failpoints);
  const inquiring = new InquireAttempt(recorder, caller, gates, underWay);
  const submittingFollowUp = new SubmitFollowUp(recorder, caller, claims, gates, ids, clock, failpoints);
  const inquiringFollowUp = new InquireFollowUp(recorder, caller, gates, underWay);
  // Where one process works, whoever held a CVV under another boot id is gone; where several do, it may be one of them.
  const isHolderGone = (holder: string): boolean => !isShared && holder !== bootId;
  const cvvQueue = new CvvSubmitQueue(contexts, submitting, underWay, clock, monotonic, scheduler, (stream, error) =>
    onOrderError({ stream, task: 'submit' }, error),
  );
  let onRoom = (): void => undefined;
  underWay.listen((lane) => {
    cvvQueue.roomChanged(lane);
    onRoom();
  });
  const inlineConclusion = new InlineConclusion(concluding, clock, (stream, error) => onOrderError({ stream, task: 'conclude' }, error));
  recorder.listen((order, events) => {
    cvvQueue.orderMoved(order);
    inlineConclusion.orderMoved(order);
    onOrderMoved(order, events);
    if (events.some(isContradiction)) onContradiction(order.stream);
  });
  return {
    contexts,
    room: { takenIn: (lane) => underWay.overdueIn(lane), tell: (listener) => (onRoom = listener) },
    cvvQueue,
    screeningRules,
    resolveUnknownOutcome: new ResolveUnknownOutcome(contexts, recorder, sealer, clock),
    returnPayer: new ReturnPayer(contexts, recorder, caller, claims, gates, failpoints),
    workOrder: new WorkOrder(
      contexts,
      recorder,
      submitting,
      inquiring,
      concluding,
      underWay,
      new MonotonicWait(clock, monotonic),
      clock,
      isHolderGone,
    ),
    followUps: {
      request: new RequestFollowUpHandler({ contexts, gates, sealer, clock, failpoints }),
      work: new WorkFollowUp(contexts, submittingFollowUp, inquiringFollowUp, underWay, clock),
      settle: new ResolveUnknownFollowUp(contexts, recorder, sealer, clock),
    },
    device: { chooseFee: new ChooseFee(recorder, clock), inlineConclusion },
  };
};
