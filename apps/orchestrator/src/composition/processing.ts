import type { BootId, Clock, Failpoints, Ids, Random, Scheduler } from '@app/kernel';
import type { CardVault, OrderSealer, ServiceDigests } from '@app/card-vault';
import type { EventStore, StreamName } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import { deviceVerificationContext } from '@app/device-verification';
import {
  CheckOrder,
  ChooseFee,
  ConcludeOrder,
  ConclusionDesk,
  CvvDesk,
  GateCaller,
  InquireAttempt,
  InquireFollowUp,
  OrderContexts,
  OrderRecorder,
  QuoteFees,
  RandomSums,
  RequestFollowUpHandler,
  ReturnPayer,
  ScreeningRuleBook,
  ScreenOrder,
  SettleFollowUp,
  SettleOrder,
  SubmitAttempt,
  SubmitFollowUp,
  Velocity,
  WorkFollowUp,
  WorkOrder,
  type CardMapping,
  type MerchantServer,
  type PayerAddresses,
} from '@app/order-processing';
import { isContradiction } from '@app/order-processing/domain';
import { paymentContext } from '@app/payment';
import { recurringContext } from '@app/recurring';
import { transferContext } from '@app/transfer';

export interface ProcessingPorts {
  readonly store: EventStore;
  readonly vault: CardVault;
  readonly sealer: OrderSealer;
  readonly digests: ServiceDigests;
  readonly gates: Gates;
  readonly payer: PayerAddresses;
  readonly merchantServer: MerchantServer;
  readonly cardMapping: CardMapping;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly failpoints: Failpoints;
  readonly bootId: BootId;
  /** Other processes work on the same log. */
  readonly isShared: boolean;
  readonly onOrderError: (stream: StreamName | undefined, error: unknown) => void;
  /** A gate contradicts what the order's stream holds: money may stand otherwise, and somebody has to look (safety, I4). */
  readonly onContradiction: (stream: StreamName) => void;
}

export interface OrderProcessing {
  readonly contexts: OrderContexts;
  readonly cvvDesk: CvvDesk;
  readonly returnPayer: ReturnPayer;
  readonly screeningRules: ScreeningRuleBook;
  readonly settleOrder: SettleOrder;
  readonly workOrder: WorkOrder;
  readonly followUps: FollowUpProcessing;
  readonly device: DeviceProcessing;
}

export interface DeviceProcessing {
  readonly chooseFee: ChooseFee;
  readonly conclusionDesk: ConclusionDesk;
}

export interface FollowUpProcessing {
  readonly request: RequestFollowUpHandler;
  readonly work: WorkFollowUp;
  readonly settle: SettleFollowUp;
}

/** Order-processing with every context that takes orders registered (architecture, rule 14). */
export const orderProcessing = (ports: ProcessingPorts): OrderProcessing => {
  const {
    store,
    vault,
    sealer,
    digests,
    gates,
    payer,
    merchantServer,
    cardMapping,
    clock,
    ids,
    random,
    scheduler,
    failpoints,
    bootId,
    isShared,
    onOrderError,
    onContradiction,
  } = ports;
  const contexts = new OrderContexts(store);
  contexts.register(paymentContext);
  contexts.register(recurringContext);
  contexts.register(deviceVerificationContext);
  contexts.register(transferContext);
  const recorder = new OrderRecorder(contexts, ids, clock, random, scheduler);
  const onAdapterError = (error: unknown): void => onOrderError(undefined, error);
  const caller = new GateCaller({ sealer, digests, clock, scheduler, onAdapterError });
  const screeningRules = new ScreeningRuleBook(store, clock);
  const screening = new ScreenOrder({ rules: screeningRules, velocity: new Velocity(store, clock), recorder, sealer, digests, clock });
  const randomSums = new RandomSums(store, digests);
  const fees = new QuoteFees(gates, scheduler, onAdapterError);
  const checking = new CheckOrder({ merchantServer, recorder, fees, randomSums, clock, scheduler });
  const concluding = new ConcludeOrder({ mapping: cardMapping, merchantServer, randomSums, recorder, clock });
  const submitting = new SubmitAttempt(recorder, caller, gates, vault, checking, screening, payer, ids, clock, failpoints);
  const inquiring = new InquireAttempt(recorder, caller, gates, clock);
  const submittingFollowUp = new SubmitFollowUp(recorder, caller, gates, ids, clock, failpoints);
  const inquiringFollowUp = new InquireFollowUp(recorder, caller, gates, clock);
  // Where one process works, whoever held a CVV under another boot id is gone; where several do, it may be one of them.
  const isHolderGone = (holder: string): boolean => !isShared && holder !== bootId;
  const cvvDesk = new CvvDesk(contexts, submitting, clock, scheduler, onOrderError);
  const conclusionDesk = new ConclusionDesk(concluding, clock, onOrderError);
  recorder.tell((order, events) => {
    cvvDesk.orderMoved(order);
    conclusionDesk.orderMoved(order);
    if (events.some(isContradiction)) onContradiction(order.stream);
  });
  return {
    contexts,
    cvvDesk,
    screeningRules,
    settleOrder: new SettleOrder(contexts, recorder, sealer, clock),
    returnPayer: new ReturnPayer(contexts, recorder, caller, gates, clock, failpoints),
    workOrder: new WorkOrder(contexts, recorder, submitting, inquiring, concluding, clock, isHolderGone),
    followUps: {
      request: new RequestFollowUpHandler({ contexts, gates, sealer, clock, failpoints }),
      work: new WorkFollowUp(contexts, submittingFollowUp, inquiringFollowUp, clock),
      settle: new SettleFollowUp(contexts, recorder, sealer, clock),
    },
    device: { chooseFee: new ChooseFee(recorder, clock), conclusionDesk },
  };
};
