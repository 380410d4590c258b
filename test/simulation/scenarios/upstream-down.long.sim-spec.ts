import type { AttemptKey, ClientOrderId, GateAlias, Instant } from '@app/kernel';
import type { StreamName, WorkItem } from '@app/event-store';
import { ORDERS_WORKED_PER_LANE_MAX } from '@app/orders';
import { nextInquiryAt } from '@app/orders/domain';
import { paymentCodec } from '@app/payment';
import { sampleGate, wholeNumber } from '@app/testing';
import { FarUpstream } from './far-upstream';
import { LaneWorker } from './lane-worker';
import { LANE, OrderScenario } from './order-scenario';

/** They take some minutes of a core. */
const WAITING = wholeNumber('WAITING_ORDERS', 10_000);
const FRESH = 200;
const OTHERS = 10;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURS_REFUSED = 3;
const ACCEPTED_EVERY_MS = 10;
const LOOK_MS = 10_000;
const PLAY_TIMEOUT_MS = 1_800_000;
const LONGEST_FLIGHT_MS = 5_000;
const CALLS_MAX = 2 * ORDERS_WORKED_PER_LANE_MAX;
/** Keys are swept once in 1,024. Keys within the longest flight are not swept yet. */
const KEYS_MAX = 1_024 + CALLS_MAX;
const TIMERS_MAX = 4 * CALLS_MAX;

interface Sent {
  readonly key: AttemptKey;
  readonly at: Instant;
}

class Story {
  readonly types: string[] = [];
  readonly sent: Sent[] = [];
}

const storyOf = async ({ store }: OrderScenario, stream: StreamName): Promise<Story> => {
  const story = new Story();
  for await (const stored of store.read(stream)) {
    const event = paymentCodec.decode(stored);
    story.types.push(event.type);
    if (event.type === 'AttemptStarted') story.sent.push({ key: event.data.attemptKey, at: event.data.startedAt });
  }
  return story;
};

const overtakenMax = (places: readonly number[]): number => {
  let farthest = -1;
  return places.reduce((most, place) => {
    farthest = Math.max(farthest, place);
    return Math.max(most, farthest - place);
  }, 0);
};

const isOnce = (times: number): boolean => times === 1;

class Outage {
  readonly world = new OrderScenario();
  readonly upstream = new FarUpstream(this.world.clock);
  readonly run: WorkItem[] = [];
  readonly process = this.world.newProcess(this.upstream.gate('sim-a' as GateAlias));
  readonly worker = new LaneWorker(this.world, this.process, (item) => this.run.push(item));
  readonly waiting: StreamName[] = [];
  readonly fresh: StreamName[] = [];
  readonly others: (string | undefined)[] = [];
  rememberedMax = 0;
  timersMax = 0;
  readonly seenWhileDown: (readonly [sent: number, events: number])[] = [];
  sentBeforeBack = 0;
  backAt!: Instant;

  async play(): Promise<void> {
    const { upstream, waiting, fresh, worker } = this;
    const { clock } = this.world;
    let payments = 0;
    // Every third payment is lost on its way; of the others the answer is lost.
    upstream.arrives = () => payments++ % 3 !== 0;
    upstream.line = 'hangs';
    await this.#acceptAll(waiting, 'waiting', WAITING);
    await this.#othersGoOn();
    while (upstream.sent.size < WAITING) await this.#pass(MINUTE_MS);
    await this.#pass(MINUTE_MS);

    upstream.line = 'refuses';
    for (let hour = 0; hour < HOURS_REFUSED; hour++) {
      await this.#pass(HOUR_MS);
      this.seenWhileDown.push([upstream.sent.size, await this.#eventsOf(waiting)]);
    }
    await this.#othersGoOn();

    upstream.line = 'hangs';
    await this.#acceptAll(fresh, 'fresh', FRESH);
    await this.#pass(1_000);
    this.sentBeforeBack = upstream.sent.size;
    upstream.line = 'works';
    this.backAt = clock.now();
    await clock.advanceUntil(() => worker.work.size === 0, 2 * HOUR_MS);
  }

  storyOf(stream: StreamName): Promise<Story> {
    return storyOf(this.world, stream);
  }

  async #acceptAll(streams: StreamName[], name: string, count: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      streams.push(await this.world.accept({}, `${name}-${number}` as ClientOrderId));
      await this.#pass(ACCEPTED_EVERY_MS);
    }
  }

  async #othersGoOn(): Promise<void> {
    const plan = { gates: [sampleGate({ alias: 'sim-b' as GateAlias })] as const };
    const streams: StreamName[] = [];
    for (let number = 0; number < OTHERS; number++)
      streams.push(await this.world.accept(plan, `other-${this.others.length + number}` as ClientOrderId));
    await this.#pass(1_000);
    for (const stream of streams) this.others.push((await this.storyOf(stream)).types.at(-1));
  }

  async #eventsOf(streams: readonly StreamName[]): Promise<number> {
    let count = 0;
    for (const stream of streams) count += (await this.storyOf(stream)).types.length;
    return count;
  }

  async #pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= LOOK_MS) {
      await this.world.clock.advance(Math.min(LOOK_MS, leftMs));
      this.rememberedMax = Math.max(this.rememberedMax, this.process.underWay.remembered);
      this.timersMax = Math.max(this.timersMax, this.world.clock.pending);
    }
  }
}

describe('an upstream gateway that is down for hours while orders wait', () => {
  const outage = new Outage();
  const { upstream, world, worker, waiting, fresh } = outage;
  beforeAll(() => outage.play(), PLAY_TIMEOUT_MS);
  afterAll(() => worker.stop());

  it('receives each payment once, and the log does not grow while it refuses connections', () => {
    expect([...upstream.sent.values()].every(isOnce)).toBe(true);
    const [first, ...later] = outage.seenWhileDown;
    expect(first?.[0]).toBe(WAITING);
    for (const seen of later) expect(seen).toStrictEqual(first);
  });

  it('delays no order of another gate', () => {
    expect(outage.others).toStrictEqual(Array.from({ length: 2 * OTHERS }, () => 'OrderApproved'));
  });

  it('receives the waiting payments by age once it is back', () => {
    // Running calls filled the lane, so that no others were sent before.
    expect(outage.sentBeforeBack - WAITING).toBe(ORDERS_WORKED_PER_LANE_MAX);
    const placeOf = new Map(fresh.map((stream, place) => [stream, place]));
    const sent = outage.run.filter(({ lane, stream }) => lane === LANE && placeOf.has(stream));
    expect(overtakenMax(sent.map(({ stream }) => placeOf.get(stream) ?? -1))).toBeLessThanOrEqual(ORDERS_WORKED_PER_LANE_MAX);
  });

  it('is inquired in due order about all open payments within an hour of its return', async () => {
    const due: { readonly key: AttemptKey; readonly at: Instant }[] = [];
    for (const stream of waiting) {
      const [first] = (await outage.storyOf(stream)).sent;
      if (first !== undefined) due.push({ key: first.key, at: nextInquiryAt(first.at, LONGEST_FLIGHT_MS, outage.backAt) });
    }
    const placeOf = new Map([...upstream.askedAbout].map((key, place) => [key, place]));
    const places = due.sort((a, b) => a.at - b.at).map(({ key }) => placeOf.get(key) ?? -1);
    expect(places).not.toContain(-1);
    // A lane inquires about as many at once as it has room for, besides those just sent.
    expect(overtakenMax(places)).toBeLessThanOrEqual(FRESH + CALLS_MAX);
    expect(world.clock.now() - outage.backAt).toBeLessThanOrEqual(HOUR_MS + 10 * MINUTE_MS);
  });

  it('ends every order as in its ledger, with at most one approved charge per order', async () => {
    const orders = [...upstream.gateway.orders.values()];
    expect(orders.every(({ status }) => status === 'approved')).toBe(true);
    const approvedThere = new Set(orders.map(({ clientOrderId }) => clientOrderId));
    let approvedHere = 0;
    for (const stream of [...waiting, ...fresh]) {
      const { types, sent } = await outage.storyOf(stream);
      const charges = sent.filter(({ key }) => approvedThere.has(key)).length;
      expect([stream, types.at(-1), charges]).toStrictEqual(charges === 0 ? [stream, 'OrderFailed', 0] : [stream, 'OrderApproved', 1]);
      approvedHere += charges;
    }
    expect(approvedHere).toBe(approvedThere.size);
    expect(approvedHere).toBeGreaterThan(WAITING / 2);
  });

  it('never holds more calls, keys, timers and work items than declared', () => {
    expect(upstream.underWayMax).toBeLessThanOrEqual(CALLS_MAX);
    expect(worker.inFlightMax).toBeLessThanOrEqual(worker.roomMax);
    expect(outage.rememberedMax).toBeLessThanOrEqual(KEYS_MAX);
    expect(outage.timersMax).toBeLessThanOrEqual(TIMERS_MAX);
    expect([worker.errors, world.errors]).toStrictEqual([[], []]);
  });
});
