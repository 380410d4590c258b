import { makeOrderId, noFailpoints, Secret, type BootId, type GateAlias } from '@app/kernel';
import { load, type Envelope, type StoredEvent, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import {
  CheckOrder,
  ChooseFee,
  ConcludeOrder,
  InlineConclusion,
  CvvSubmitQueue,
  gateCalling,
  InquireAttempt,
  OrderContexts,
  OrderRecorder,
  MonotonicWait,
  QuoteFees,
  RandomSums,
  ReturnPayer,
  ScreeningRulesRepository,
  ScreenOrder,
  ResolveUnknownOutcome,
  SubmitAttempt,
  Velocity,
  WorkOrder,
  type OpenOrder,
} from '@app/order-processing';
import type { AcceptedOrder } from '@app/order-processing/domain';
import { paymentCodec, paymentContext, paymentStream } from '@app/payment';
import { sampleOrder, seededIds, seededRandom, textOrderIds, VirtualClock } from '@app/testing';
import { ScriptedGate } from './scripted-gate';
import { mappedCards, ScriptedMerchantServer } from './scripted-merchant-server';
import { ScriptedVault } from './scripted-vault';

/** Order-processing as one process has it. */
export interface SimulatedProcess {
  readonly workOrder: WorkOrder;
  readonly returnPayer: ReturnPayer;
  readonly cvvQueue: CvvSubmitQueue;
  readonly resolveUnknownOutcome: ResolveUnknownOutcome;
  readonly chooseFee: ChooseFee;
  readonly inlineConclusion: InlineConclusion;
  readonly underWay: ReturnType<typeof gateCalling>['underWay'];
}

/** Order-processing over the memory store, virtual time and a scripted gate. */
export class ProcessingWorld {
  readonly clock = new VirtualClock();
  readonly store = new StumblingStore(new MemoryEventStore(this.clock));
  readonly gate = new ScriptedGate('sim-a' as GateAlias);
  readonly otherGate = new ScriptedGate('sim-b' as GateAlias);
  readonly vault = new ScriptedVault();
  readonly merchantServer = new ScriptedMerchantServer();
  readonly goneHolders = new Set<string>();
  readonly errors: unknown[] = [];
  /** Answers that gates gave after the time was over. */
  readonly late: string[] = [];
  readonly ids = seededIds(7);
  readonly chance = seededRandom(11);
  readonly contexts = new OrderContexts(this.store, textOrderIds(this.chance));
  readonly stream: StreamName = paymentStream(sampleOrder().merchant, sampleOrder().clientOrderId);
  readonly workOrder: WorkOrder;
  readonly returnPayer: ReturnPayer;
  readonly cvvQueue: CvvSubmitQueue;
  readonly resolveUnknownOutcome: ResolveUnknownOutcome;
  readonly rules = new ScreeningRulesRepository(this.store, this.clock);

  constructor(
    /** True where several processes work on the log; a single one knows at its start that nothing of an earlier one is left. */
    readonly isShared = true,
  ) {
    this.contexts.register(paymentContext);
    ({
      workOrder: this.workOrder,
      returnPayer: this.returnPayer,
      cvvQueue: this.cvvQueue,
      resolveUnknownOutcome: this.resolveUnknownOutcome,
    } = this.newProcess());
  }

  /** Order-processing as a process that knows nothing but the log has it: another one, or the same after a crash. */
  newProcess(): SimulatedProcess {
    const { clock, contexts, ids, vault, merchantServer } = this;
    const gate = (alias: string) => (alias === this.otherGate.profile.alias ? this.otherGate : this.gate);
    const gates = { gate, find: gate };
    const recorder = new OrderRecorder(contexts, ids, clock, seededRandom(7), clock);
    const onError = (error: unknown) => this.errors.push(error);
    const digests = { onceKey: (kind: string, parts: readonly string[]) => Buffer.from(JSON.stringify([kind, ...parts])).toString('hex') };
    const randomSums = new RandomSums(this.store, digests);
    const fees = new QuoteFees(gates, clock, seededRandom(23), onError);
    const checking = new CheckOrder({ merchantServer, recorder, fees, randomSums, clock, scheduler: clock });
    const mapping = { map: (order: OpenOrder) => Promise.resolve(mappedCards(order)) };
    const concluding = new ConcludeOrder({ mapping, merchantServer, randomSums, recorder, clock });
    const { caller, claims, underWay } = gateCalling({
      contexts,
      sealer: vault,
      digests,
      clock,
      random: seededRandom(23),
      monotonic: clock,
      scheduler: clock,
      isShared: this.isShared,
      onAdapterError: onError,
      onLateAnswer: ({ task }, answer) => this.late.push(`${task}: ${answer}`),
    });
    const payer = { returnUrl: (stream: string, key: string) => `https://gateway.example/payer/${stream}/${key}/return` };
    const rules = this.rules;
    const velocity = new Velocity(this.store, clock);
    const screening = new ScreenOrder({ rules, velocity, recorder, sealer: vault, digests, clock });
    const submitting = new SubmitAttempt(recorder, caller, claims, gates, vault, checking, screening, payer, ids, noFailpoints);
    const inquiring = new InquireAttempt(recorder, caller, gates, underWay);
    const cvvQueue = new CvvSubmitQueue(contexts, submitting, underWay, clock, clock, clock, (_stream, error) => onError(error));
    underWay.listen((lane) => cvvQueue.roomChanged(lane));
    const inlineConclusion = new InlineConclusion(concluding, clock, (_stream, error) => onError(error));
    recorder.listen((order) => {
      cvvQueue.orderMoved(order);
      inlineConclusion.orderMoved(order);
    });
    return {
      workOrder: new WorkOrder(
        contexts,
        recorder,
        submitting,
        inquiring,
        concluding,
        underWay,
        new MonotonicWait(clock, clock),
        clock,
        (holder) => this.goneHolders.has(holder),
      ),
      returnPayer: new ReturnPayer(contexts, recorder, caller, claims, gates, noFailpoints),
      resolveUnknownOutcome: new ResolveUnknownOutcome(contexts, recorder, vault, clock),
      cvvQueue,
      chooseFee: new ChooseFee(recorder, clock),
      inlineConclusion,
      underWay,
    };
  }

  /** Accepts an order into the log; one with a client_orderid of its own has a stream and an id of its own. */
  async accept(plan: Partial<AcceptedOrder['plan']> = {}, clientOrderId = sampleOrder().clientOrderId): Promise<StreamName> {
    const orderId =
      clientOrderId === sampleOrder().clientOrderId ? sampleOrder().orderId : makeOrderId('p', (size) => this.chance.bytes(size));
    const order = sampleOrder({ acceptedAt: this.clock.now(), clientOrderId, orderId });
    const stream = paymentStream(order.merchant, clientOrderId);
    const envelope: Envelope = {
      correlation: '00000000-0000-0000-0000-000000000001',
      causation: '00000000-0000-0000-0000-000000000001',
      actor: order.merchant,
      merchant: order.merchant,
      commandId: 'accept',
      recordedAt: this.clock.now(),
    };
    const accepted = { type: 'OrderAccepted' as const, data: { ...order, plan: { ...order.plan, ...plan } } };
    await this.store.append(stream, 'no_stream', paymentCodec.encode([accepted], stream, 'no_stream', envelope));
    return stream;
  }

  /** The types of the events in the log. */
  async story(): Promise<readonly string[]> {
    return (await this.stored()).map(({ type }) => type);
  }

  async stored(): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    for await (const event of this.store.read(this.stream)) events.push(event);
    return events;
  }

  async lastData(): Promise<Record<string, unknown>> {
    return JSON.parse((await this.stored()).at(-1)?.data ?? '{}') as Record<string, unknown>;
  }

  async attempts() {
    const { state } = await load(this.store, this.stream, paymentContext.decider, paymentCodec);
    if (state.status === 'none') throw new Error('no order');
    return state.processing.attempts;
  }
}

export const HOLDER = 'boot-1' as BootId;
export const CVV = new Secret('123');
