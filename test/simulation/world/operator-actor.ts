import type { OrderSummary } from '@app/read-models/queries';
import { sleep, type ClientOrderId, type MerchantLogin } from '@app/kernel';
import { paymentStream } from '@app/payment';
import type { VirtualClock } from '@app/testing';
import { LONGEST_FLIGHT_MS, type GateActor } from './gate-actor';
import type { EntryKind } from './gate-ledger';
import type { KeyedChance } from './keyed-chance';
import type { MerchantActor } from './merchant-actor';
import { IMPOSTOR, OPERATORS, type OperatorName, type OperatorPort } from './operator-port';

/** Rates of operator actions. Only `errs` is a fault. */
export interface OperatorActions {
  readonly resolves: number;
  readonly doubled: number;
  readonly errs: number;
  /** How often per visit an operator resolves an order that may have calls in flight. */
  readonly hasty: number;
  readonly resends: number;
  readonly unparks: number;
  readonly impostors: number;
  /** How often per visit an operator returns, captures or voids. */
  readonly moves: number;
  /** Share of requests that need a second person in which a person would act alone. */
  readonly alone: number;
  readonly rebuilds: number;
}

export const NO_OPERATORS: OperatorActions = { resolves: 0, doubled: 0, errs: 0, hasty: 0, resends: 0, unparks: 0, impostors: 0, moves: 0, alone: 0, rebuilds: 0 }; // prettier-ignore

export interface Resolution {
  readonly by: OperatorName;
  readonly orderId: string;
  readonly followUp: number | undefined;
  readonly as: 'approved' | 'declined';
  /** By the gates' ledgers, when no call of it could still be processed. */
  readonly isByTheBook: boolean;
  /** Undefined if no answer arrived: it may have been done. */
  readonly status: number | undefined;
  readonly atMs: number;
}

export interface Resend {
  readonly orderId: string;
  /** `<webhook-id>:<target>` */
  readonly deliveryId: string;
  /** Its next attempt was due anyway, and may have been in flight. */
  readonly isDueAlready: boolean;
  readonly atMs: number;
}

export interface OperatorActorSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly port: OperatorPort;
  readonly gates: readonly GateActor[];
  readonly merchants: readonly MerchantActor[];
  readonly actions: () => OperatorActions;
}

interface Known {
  readonly as: 'approved' | 'declined';
  readonly isByTheBook: boolean;
}

const GAP_MS = [10_000, 40_000] as const;
const RESOLVED_MAX = 4;
const FOLLOW_UP_KINDS: Readonly<Record<string, EntryKind>> = { capture: 'capture', return: 'refund', void: 'void' };
/** A call may be processed until then, even without its caller. */
const PROCESSED_WITHIN_MS = LONGEST_FLIGHT_MS;

export class OperatorActor {
  readonly resolutions: Resolution[] = [];
  readonly answers: { readonly about: string; readonly status: number | undefined }[] = [];
  readonly resends: Resend[] = [];
  readonly impostorsTold: number[] = [];

  constructor(private readonly settings: OperatorActorSettings) {}

  begin(withinMs: number): void {
    for (const { name } of OPERATORS) void this.#work(name, withinMs);
  }

  async #work(by: OperatorName, withinMs: number): Promise<void> {
    const { time, chance, actions } = this.settings;
    const endsAtMs = time.now() + withinMs;
    for (;;) {
      await sleep(time, chance.between(...GAP_MS, 'operator.gap', by));
      if (time.now() >= endsAtMs) return;
      const { resolves, hasty, resends, unparks, impostors } = actions();
      if (chance.happens(impostors, 'operator.impostor', by)) await this.#askAsNobody();
      if (resolves > 0) await this.#resolveUnknown(by);
      if (chance.happens(hasty, 'operator.hasty', by)) await this.#resolveSome(by);
      if (chance.happens(resends, 'operator.resends', by)) await this.#resendSome(by);
      if (chance.happens(unparks, 'operator.unparks', by)) await this.#unparkSome(by);
    }
  }

  async #askAsNobody(): Promise<void> {
    const answer = await this.settings.port.get(IMPOSTOR, '/orders/unknown');
    if (answer !== undefined) this.impostorsTold.push(answer.status);
  }

  async #resolveUnknown(by: OperatorName): Promise<void> {
    const { chance, port, actions } = this.settings;
    const answer = await port.get(by, '/orders/unknown');
    if (answer?.status !== 200) return;
    const orders = answer.body['orders'] as readonly OrderSummary[];
    const { resolves, doubled } = actions();
    for (const order of orders.slice(0, RESOLVED_MAX)) {
      const followUp = order.followUps.find(({ status }) => status === 'unknown')?.number;
      // Unknown follow-ups are rare, so each that is found is resolved.
      if (followUp === undefined && !chance.happens(resolves, 'operator.resolves', order.orderId)) continue;
      const known = followUp === undefined ? this.#bookOf(order.orderId) : this.#followUpIn(order, followUp);
      if (known?.isByTheBook !== true) continue;
      const others = chance.happens(doubled, 'operator.doubled', order.orderId) ? OPERATORS.map(({ name }) => name) : [by];
      await Promise.all(others.map((one) => this.#resolve(one, order.orderId, known, followUp)));
    }
  }

  /** Tries any state of an order; the service must refuse invalid ones. */
  async #resolveSome(by: OperatorName): Promise<void> {
    const orderId = this.#someOrder(by);
    if (orderId !== undefined) await this.#resolve(by, orderId, this.#bookOf(orderId) ?? { as: 'declined', isByTheBook: false });
  }

  async #resolve(by: OperatorName, orderId: string, known: Known, followUp?: number): Promise<void> {
    const { time, chance, port, actions } = this.settings;
    const errs = chance.happens(actions().errs, 'operator.errs', orderId);
    const as = errs === (known.as === 'approved') ? 'declined' : 'approved';
    const message = { as, reason: 'as the gate has it', ...(followUp !== undefined && { followUp }) };
    const answer = await port.post(by, `/orders/${orderId}/resolution`, message);
    const isByTheBook = known.isByTheBook && !errs;
    this.resolutions.push({ by, orderId, followUp, as, isByTheBook, status: answer?.status, atMs: time.now() });
  }

  async #resendSome(by: OperatorName): Promise<void> {
    const { time, chance, port } = this.settings;
    const orderId = this.#someOrder(by);
    const listed = orderId === undefined ? undefined : await port.get(by, `/orders/${orderId}/deliveries`);
    if (orderId === undefined || listed?.status !== 200) return;
    const deliveries = listed.body['deliveries'] as readonly { readonly deliveryId: string }[];
    if (deliveries.length === 0) return;
    const { deliveryId } = chance.pick(deliveries, 'operator.resent', by);
    const atMs = time.now();
    const answer = await port.post(by, `/deliveries/${deliveryId}/resend`, { reason: 'the shop has lost it' });
    this.answers.push({ about: `resend ${deliveryId}`, status: answer?.status });
    if (answer?.status === 202) this.resends.push({ orderId, deliveryId, isDueAlready: answer.body['isDueAlready'] === true, atMs });
  }

  async #unparkSome(by: OperatorName): Promise<void> {
    const { chance, port, merchants } = this.settings;
    const streams = merchants.flatMap(({ login, orders }) =>
      [...orders.keys()].map((clientOrderId) => paymentStream(login as MerchantLogin, clientOrderId as ClientOrderId)),
    );
    if (streams.length === 0) return;
    const stream = chance.pick(streams, 'operator.stream', by);
    const answer = await port.post(by, `/streams/${stream}/unparking`, { reason: 'the upgrade is finished' });
    this.answers.push({ about: `unpark ${stream}`, status: answer?.status });
  }

  #someOrder(by: OperatorName): string | undefined {
    const { chance, merchants } = this.settings;
    const orders = merchants.flatMap((merchant) => [...merchant.orders.values()].flatMap(({ order }) => order?.orderId ?? []));
    return orders.length === 0 ? undefined : chance.pick(orders, 'operator.order', by);
  }

  /** The order's outcome, if its newest call is known to be over; undefined if no gate knows it. */
  #bookOf(orderId: string): Known | undefined {
    const calls = this.settings.gates.flatMap(({ calls: all }) => [...all.values()].filter((call) => call.orderId === orderId && !isFollowing(call.kind)));
    const newest = calls.toSorted((one, other) => one.atMs - other.atMs).at(-1);
    if (newest === undefined) return undefined;
    const entries = this.settings.gates.flatMap(({ book }) => book.filter((entry) => entry.orderId === orderId && entry.original === undefined));
    const outcome = entries.find(({ key }) => key === newest.key)?.outcome.kind;
    const isOver = this.settings.time.now() >= newest.atMs + PROCESSED_WITHIN_MS;
    const isByTheBook = outcome === 'approved' || outcome === 'declined' || (outcome === undefined && isOver);
    return { as: entries.some((entry) => entry.outcome.kind === 'approved') ? 'approved' : 'declined', isByTheBook };
  } // prettier-ignore

  #followUpIn({ orderId, followUps }: OrderSummary, number: number): Known | undefined {
    const asked = followUps.find((one) => one.number === number);
    const kind = FOLLOW_UP_KINDS[asked?.operation ?? ''];
    const others = new Set(followUps.map(({ transactionId }) => transactionId));
    const ofIt = <Of extends { readonly orderId: string; readonly kind: EntryKind; readonly key: string }>(all: Iterable<Of>): Of | undefined =>
      [...all].filter((one) => one.orderId === orderId && one.kind === kind && !others.has(`t-${one.key}`)).at(-1);
    const call = ofIt(this.settings.gates.flatMap(({ calls }) => [...calls.values()]));
    if (call === undefined) return undefined;
    const outcome = this.settings.gates.flatMap(({ book }) => book).find(({ key }) => key === call.key)?.outcome.kind;
    const isByTheBook = outcome !== undefined || this.settings.time.now() >= call.atMs + PROCESSED_WITHIN_MS;
    return { as: outcome === 'approved' ? 'approved' : 'declined', isByTheBook };
  } // prettier-ignore
}

const isFollowing = (kind: EntryKind): boolean => kind === 'capture' || kind === 'refund' || kind === 'void';
