import type { AttemptKey, Card, ClientOrderId, Currency, GateAlias, Ids, Instant, KillPoint, Money, Random } from '@app/kernel';
import { makeOrderId, Secret, sleep } from '@app/kernel';
import { loadOnto, type Envelope, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { Gates } from '@app/gateway-adapters/contract';
import { FaultsOnDemand, SimulatorGate, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import { followUpOf, orderWork, type FollowUpRequested } from '@app/orders';
import { nextFollowUpStep, type AcceptedOrder, type FollowUp, type Operation, type PlannedGate } from '@app/orders/domain';
import { paymentCodec, paymentContext, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { eventually, finalEvents, sampleGate, sampleOrder, samplePlan, seededIds, seededRandom, VirtualClock } from '@app/testing';
import { FollowUpProcess } from './follow-up-process';

const CARD: Card = { number: '4444333322221111', expiryMonth: 12, expiryYear: 2030, holder: 'JOHN SMITH' };
const USD = 'USD' as Currency;
const GATE = 'sim-a' as GateAlias;
const ROUNDS_MAX = 200;

const usd = (minor: bigint): Money => ({ minor, currency: USD });

export class FollowUpScenario {
  readonly clock: VirtualClock;
  readonly store: MemoryEventStore;
  readonly faults: FaultsOnDemand;
  readonly gate: SimulatorGate;
  readonly ids: Ids;
  /** True if several processes share the log. A single process knows at its start that no earlier one is running. */
  isShared = true;
  readonly #random: Random;
  readonly #connected: Gates = { gate: () => this.gate, find: () => this.gate };
  #bookings = 0;
  readonly #partial: Pick<PlannedGate, 'partialCapture' | 'partialReversal'>;

  constructor(ledger: SimulatorLedger, seed: number, { isPartial = true, startAt }: { isPartial?: boolean; startAt?: Instant } = {}) {
    this.clock = startAt === undefined ? new VirtualClock() : new VirtualClock(startAt);
    this.store = new MemoryEventStore(this.clock);
    this.faults = new FaultsOnDemand(this.clock);
    this.ids = seededIds(seed);
    this.#random = seededRandom(seed);
    this.#partial = { partialCapture: isPartial, partialReversal: isPartial };
    this.gate = new SimulatorGate({
      settings: {
        alias: GATE,
        currencies: [USD],
        cvvRequired: false,
        threeDSecure: false,
        longestFlightMs: 5_000,
        commission: { ratePerTenThousand: 150, minCentis: 30 },
        descriptor: 'test-a',
        ...this.#partial,
      },
      bins: [],
      clock: this.clock,
      ledger: { ...ledger, followUp: (asked) => this.#booked(ledger.followUp(asked)) },
      authenticationPageUrl: (key) => `https://gateway.example/${key}`,
      faults: this.faults,
    });
  }

  /** A thread writes the gate's ledger, and virtual time does not wait for it. */
  async #booked<Result>(writing: Promise<Result>): Promise<Result> {
    this.#bookings += 1;
    try {
      return await writing;
    } finally {
      this.#bookings -= 1;
    }
  }

  newProcess(kill?: { readonly at: KillPoint; readonly reach: number }): FollowUpProcess {
    return this.#process(this.#connected, kill);
  }

  gatelessProcess(): FollowUpProcess {
    const gate = (alias: string): never => {
      throw new Error(`no gate is configured as ${alias}`);
    };
    return this.#process({ gate, find: () => undefined });
  }

  #process(gates: Gates, kill?: { readonly at: KillPoint; readonly reach: number }): FollowUpProcess {
    return new FollowUpProcess(
      { store: this.store, gates, clock: this.clock, ids: this.ids, random: this.#random, isShared: this.isShared },
      kill,
    );
  }

  /** `meanwhile` runs before the first append of this process. */
  overtakenProcess(meanwhile: () => Promise<unknown>): FollowUpProcess {
    let isOvertaken = false;
    return this.#processWith(async (append) => {
      if (!isOvertaken) {
        isOvertaken = true;
        await meanwhile();
      }
      return append();
    });
  }

  heldUpProcess(...delaysMs: readonly number[]): FollowUpProcess {
    const waiting = [...delaysMs];
    return this.#processWith(async (append) => {
      const delayMs = waiting.shift() ?? 0;
      const answer = await append();
      if (delayMs > 0) await sleep(this.clock, delayMs);
      return answer;
    });
  }

  #processWith(appending: (append: () => ReturnType<EventStore['append']>) => ReturnType<EventStore['append']>): FollowUpProcess {
    const { store, clock, ids, isShared } = this;
    const log: Pick<EventStore, 'append' | 'read'> = {
      append: (...parameters) => appending(() => store.append(...parameters)),
      read: (...parameters) => store.read(...parameters),
    };
    return new FollowUpProcess({ store: log as EventStore, gates: this.#connected, clock, ids, random: this.#random, isShared });
  }

  async approve(operation: Extract<Operation, 'sale' | 'preauth'>, minor: bigint): Promise<AcceptedOrder> {
    const orderId = makeOrderId('p', (size) => this.#random.bytes(size));
    const amount = usd(minor);
    const plan = samplePlan({ operation, gates: [sampleGate({ alias: GATE, ...this.#partial })], callbacks: ['callback', 'notify'] });
    const clientOrderId = `order-${orderId}` as ClientOrderId;
    const order = sampleOrder({ orderId, clientOrderId, amount, plan, acceptedAt: this.clock.now() });
    const key = this.ids.next() as AttemptKey;
    const { merchant, endpointId } = order;
    const request = { key, orderId, merchant, endpointId, clientOrderId, amount, card: new Secret(CARD), descriptor: GATE };
    const now = this.clock.now();
    const answer = await (operation === 'sale' ? this.gate.charge(request) : this.gate.authorise(request));
    if (answer.kind !== 'approved') throw new Error(`the simulator says ${answer.kind}`);
    const { kind: _kind, approvalCode = '', randomSum: _none, ...receipt } = answer;
    const events: readonly [PaymentEvent, ...PaymentEvent[]] = [
      { type: 'OrderAccepted', data: order },
      { type: 'AttemptStarted', data: { attemptKey: key, number: 1, gate: GATE, amount, startedAt: now } },
      { type: 'AttemptApproved', data: { attemptKey: key, receipt, approvalCode, answeredAt: now } },
      finalEvents.approved({ attemptKey: key, amount, approvedAt: now, callbacks: plan.callbacks }),
    ];
    await this.#write(order, events);
    return order;
  }

  async accept(): Promise<AcceptedOrder> {
    const orderId = makeOrderId('p', (size) => this.#random.bytes(size));
    const clientOrderId = `order-${orderId}` as ClientOrderId;
    const order = sampleOrder({ orderId, clientOrderId, acceptedAt: this.clock.now() });
    await this.#write(order, [{ type: 'OrderAccepted', data: order }]);
    return order;
  }

  async #write(order: AcceptedOrder, events: readonly [PaymentEvent, ...PaymentEvent[]]): Promise<void> {
    const { merchant } = order;
    const stream = streamOf(order);
    const serial = '00000000-0000-0000-0000-ffffffffffff';
    const recordedAt = this.clock.now();
    const envelope: Envelope = { correlation: serial, causation: serial, actor: merchant, merchant, commandId: serial, recordedAt };
    await this.store.append(stream, 'no_stream', paymentCodec.encode(events, stream, 'no_stream', envelope));
  }

  async stored(order: AcceptedOrder): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    for await (const event of this.store.read(streamOf(order))) events.push(event);
    return events;
  }

  async events(order: AcceptedOrder): Promise<readonly PaymentEvent[]> {
    return (await this.stored(order)).map((event) => paymentCodec.decode(event));
  }

  async typesAfterEnd(order: AcceptedOrder): Promise<readonly string[]> {
    return (await this.events(order)).slice(4).map(({ type }) => type);
  }

  async followUps(order: AcceptedOrder): Promise<readonly FollowUp[]> {
    const nothing = { state: paymentContext.decider.initial, last: 'no_stream' as const, eventCount: 0 };
    const { state } = await loadOnto(nothing, this.store, streamOf(order), paymentContext.decider, paymentCodec);
    return state.status === 'none' ? [] : state.processing.followUps;
  }

  /** Advances time until the work is done, including real work of files and threads. */
  async carry<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const watched = work.finally(() => (isDone = true));
    watched.catch(() => undefined);
    while (!isDone) await this.clock.advance(1);
    return watched;
  }

  async workOut(order: AcceptedOrder, process: FollowUpProcess): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const followUps = await this.followUps(order);
      const now = this.clock.now();
      const due = followUps.flatMap((followUp) => {
        const step = nextFollowUpStep(followUp, followUps, now);
        return step.task === 'nothing' ? [] : [{ number: followUp.number, step }];
      });
      const [first] = due.sort((a, b) => a.step.dueAt - b.step.dueAt);
      if (first === undefined) return;
      await this.clock.advance(Math.max(first.step.dueAt - now, 0));
      await this.workOne(order, process, first.number);
      if (process.isDead) return;
    }
    throw new Error(`follow-ups still open after ${ROUNDS_MAX} rounds`);
  }

  async workOne(order: AcceptedOrder, process: FollowUpProcess, number: number): Promise<Instant | undefined> {
    let isOver = false;
    const working = process.worker.work(streamOf(order), number).finally(() => (isOver = true));
    working.catch(() => undefined);
    while (!isOver && !process.isDead) await this.clock.advance(1);
    await eventually(() => this.#bookings === 0);
    return process.isDead ? undefined : working;
  }

  async openWork(order: AcceptedOrder): Promise<readonly (number | undefined)[]> {
    const open = new Map<string, number | undefined>();
    for (const event of await this.events(order)) {
      for (const change of orderWork({ stream: streamOf(order), metadata: order, event })) {
        if (change.kind === 'due') open.set(change.item.key, followUpOf(change.item));
        else open.delete(change.key);
      }
    }
    return [...open.values()];
  }
}

export const streamOf = ({ merchant, clientOrderId }: AcceptedOrder): StreamName => paymentStream(merchant, clientOrderId);

export const requestOf = (
  { merchant, orderId, clientOrderId }: AcceptedOrder,
  kind: FollowUpRequested['kind'],
  serial: number,
  minor?: bigint,
): FollowUpRequested => ({
  merchant,
  orderId,
  clientOrderId,
  kind,
  serial: `00000000-0000-0000-0000-${serial.toString(16).padStart(12, '0')}`,
  ...(minor !== undefined && { amount: usd(minor) }),
});
