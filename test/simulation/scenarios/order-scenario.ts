import { makeOrderId, Secret, type AttemptKey, type BootId, type GateAlias } from '@app/kernel';
import type { Gate } from '@app/gateway-adapters/contract';
import { load, StreamCopies, type Envelope, type StoredEvent, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import {
  InFlightCalls,
  ChooseFee,
  CvvSubmitQueue,
  HandleGateNotification,
  ConcludeInBackground,
  OrderContexts,
  ResolveUnknownOutcome,
  ReturnPayer,
  ScreeningRulesRepository,
  workLane,
  WorkOrder,
} from '@app/orders';
import type { AcceptedOrder } from '@app/orders/domain';
import { paymentCodec, paymentContext, paymentStream } from '@app/payment';
import { sampleGate, sampleOrder, seededIds, seededRandom, textOrderIds, VirtualClock } from '@app/testing';
import { orderParts } from './order-parts';
import { ScriptedGate } from './scripted-gate';
import { ScriptedMerchantServer } from './scripted-merchant-server';
import { ScriptedVault } from './scripted-vault';

export const HOLDER = 'boot-1' as BootId;
const OTHER = 'boot-2' as BootId;
export const CVV = new Secret('123');
export const GATES = [sampleGate(), sampleGate({ alias: 'sim-b' as GateAlias })] as const;
export const LANE = workLane(sampleOrder().merchant, 'sim-a' as GateAlias);
export const OTHER_LANE = workLane(sampleOrder().merchant, 'sim-b' as GateAlias);

export class OrderProcess {
  readonly #parts: ReturnType<typeof orderParts>;

  constructor(settings: Parameters<typeof orderParts>[0]) {
    this.#parts = orderParts(settings);
  }

  get contexts(): OrderContexts {
    return this.#parts.now(OrderContexts);
  }
  get rules(): ScreeningRulesRepository {
    return this.#parts.now(ScreeningRulesRepository);
  }
  get workOrder(): WorkOrder {
    return this.#parts.now(WorkOrder);
  }
  get returnPayer(): ReturnPayer {
    return this.#parts.now(ReturnPayer);
  }
  get cvvQueue(): CvvSubmitQueue {
    return this.#parts.now(CvvSubmitQueue);
  }
  get resolveUnknownOutcome(): ResolveUnknownOutcome {
    return this.#parts.now(ResolveUnknownOutcome);
  }
  get chooseFee(): ChooseFee {
    return this.#parts.now(ChooseFee);
  }
  get concludeInBackground(): ConcludeInBackground {
    return this.#parts.now(ConcludeInBackground);
  }
  get hearing(): HandleGateNotification {
    return this.#parts.now(HandleGateNotification);
  }
  get copies(): StreamCopies {
    return this.#parts.now(StreamCopies);
  }
  get underWay(): InFlightCalls {
    return this.#parts.now(InFlightCalls);
  }
}

export class OrderScenario {
  readonly clock = new VirtualClock();
  readonly store = new StumblingStore(new MemoryEventStore(this.clock));
  readonly gate = new ScriptedGate('sim-a' as GateAlias);
  readonly otherGate = new ScriptedGate('sim-b' as GateAlias);
  readonly vault = new ScriptedVault();
  readonly merchantServer = new ScriptedMerchantServer();
  readonly errors: unknown[] = [];
  readonly late: string[] = [];
  readonly heard: string[] = [];
  readonly madeDue: StreamName[] = [];
  readonly openCircuits = new Set<GateAlias>();
  onDue: (stream: StreamName) => Promise<void> = () => Promise.resolve();
  readonly ids = seededIds(7);
  readonly chance = seededRandom(11);
  readonly stream: StreamName = paymentStream(sampleOrder().merchant, sampleOrder().clientOrderId);
  readonly process: OrderProcess;
  #isHolderGone = false;

  index: (key: AttemptKey) => Promise<readonly StreamName[]> = () => Promise.resolve([]);
  readonly lookedFor: AttemptKey[] = [];

  constructor(
    /** True if several processes share the log. A single process knows at its start that no earlier one is running. */
    readonly isShared = true,
  ) {
    this.process = this.newProcess();
  }

  get contexts(): OrderContexts {
    return this.process.contexts;
  }
  get workOrder(): WorkOrder {
    return this.process.workOrder;
  }
  get returnPayer(): ReturnPayer {
    return this.process.returnPayer;
  }
  get cvvQueue(): CvvSubmitQueue {
    return this.process.cvvQueue;
  }
  get resolveUnknownOutcome(): ResolveUnknownOutcome {
    return this.process.resolveUnknownOutcome;
  }

  /** Each later process is the only one, and so knows that an earlier CVV holder is dead. */
  holderDies(): void {
    this.#isHolderGone = true;
  }

  /**
   * A process that knows only the log: a second one, or the same after a crash.
   * @param first replaces the first gate
   */
  newProcess(first: Gate = this.gate): OrderProcess {
    const { clock, store, ids, vault, merchantServer } = this;
    const gate = (alias: string): Gate => (alias === this.otherGate.profile.alias ? this.otherGate : first);
    return new OrderProcess({
      clock,
      store,
      gates: { gate, find: gate },
      vault,
      merchantServer,
      ids,
      random: seededRandom(7),
      orderIds: textOrderIds(this.chance),
      bootId: this.#isHolderGone ? OTHER : HOLDER,
      isShared: this.isShared && !this.#isHolderGone,
      onError: (error) => this.errors.push(error),
      onLate: (answer) => this.late.push(answer),
      hearing: {
        agenda: {
          dueNow: (stream) => {
            this.madeDue.push(stream);
            return this.onDue(stream);
          },
        },
        requests: {
          streamsOf: (key) => {
            this.lookedFor.push(key);
            return this.index(key);
          },
        },
        circuits: { isOpen: (alias) => this.openCircuits.has(alias) },
        listener: {
          heard: (alias, kind, outcome) => this.heard.push(`${alias} ${kind} ${outcome}`),
          neverKnown: (alias) => this.heard.push(`${alias} alarm`),
          notificationFailed: (_alias, error) => this.errors.push(error),
        },
      },
    });
  }

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

  get charged(): readonly number[] {
    return [this.gate.charges.length, this.otherGate.charges.length];
  }

  async attempts() {
    const { state } = await load(this.store, this.stream, paymentContext.decider, paymentCodec);
    if (state.status === 'none') throw new Error('no order');
    return state.processing.attempts;
  }
}
