import { configurationFrom, parseIp, type Accounts, type Endpoint } from '@app/configuration';
import { type Envelope, type EventStore, type NewEvent, type StreamName } from '@app/event-store';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import {
  addMs,
  commissionOf,
  isRejection,
  type AttemptKey,
  type CardBrand,
  type ClientOrderId,
  type Currency,
  type GateAlias,
  type Instant,
  type MerchantLogin,
  type NonEmpty,
  type OrderId,
} from '@app/kernel';
import { namedRouting, namedRules, preparedRules, routingCodec, routingStream, screeningCodec, screeningStream } from '@app/orders';
import {
  chooseRoute,
  decideProcessing,
  evolveProcessing,
  amountOfRouteStep,
  processingOf,
  screen,
  type AcceptedOrder,
  type GateAnswer,
  type Plan,
  type Processing,
  type ProcessingEvent,
} from '@app/orders/domain';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { sampleCard, sampleGate, sampleOrder, samplePlan, sampleReceipt } from '@app/testing';

export interface EndpointSections {
  readonly gates: readonly string[];
  readonly screening?: object;
  readonly routing?: readonly object[];
}

/** An order request, with values that the log will not have in clear. */
export interface InquiredOrder {
  readonly minor: bigint;
  readonly card: number;
  readonly bin: string;
  readonly brand: CardBrand;
  readonly issuerCountry: string;
  readonly customerCountry: string;
  readonly ip: string;
  readonly lesser: readonly bigint[];
}

/** A gate's answer to an order, whenever it is asked, and its draws. */
export interface World {
  answer(number: number, gate: GateAlias, minor: bigint): GateAnswer['kind'] | 'declined-for-good';
  draw(number: number, gate: GateAlias): number;
}

const NOON = 1_777_809_600_000 as Instant;
const HOUR_MS = 3_600_000;
/** Time between orders, so that some hourly limits are reached and others not. */
const GAP_MS = 600_000;
const ACME = 'acme' as MerchantLogin;
const USD = 'USD' as Currency;
const ENDPOINT = '1001';

export const TESTED_GATES = ['sim-a', 'sim-b', 'sim-c'];

const gateEntry = (alias: string, index: number) => ({
  alias,
  adapter: 'simulator',
  currencies: ['USD'],
  commission: { ratePerTenThousand: 100 + 50 * index, minCentis: 300 - 100 * index },
});

export const accountsWith = (endpoint: EndpointSections): Accounts =>
  configurationFrom(
    JSON.stringify({
      publicBaseUrl: 'http://127.0.0.1:8080',
      merchants: [
        {
          login: ACME,
          controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
          endpoints: [{ id: ENDPOINT, currency: USD, ...endpoint }],
        },
      ],
      gates: TESTED_GATES.map(gateEntry),
    }),
    { source: 'test', folder: '.', environment: {}, adapters: GATE_ADAPTERS },
  ).accounts;

export const rulesFile = (sections: object): string =>
  JSON.stringify({ merchants: [{ login: ACME, endpoints: [{ id: ENDPOINT, ...sections }] }] });

interface DecidedOrder {
  readonly stream: StreamName;
  readonly events: NonEmpty<PaymentEvent>;
}

/** Decides a sequence of orders by an entry point's rules, with the service's own decisions and simulated gates. */
export class DecidedHistory {
  #accounts: Accounts;
  #endpoint: Endpoint;
  readonly #world: World;
  readonly #counted = new Map<string, Instant[]>();

  constructor(sections: EndpointSections, world: World) {
    this.#accounts = accountsWith(sections);
    this.#endpoint = this.#accounts.merchants[0].endpoints[0];
    this.#world = world;
  }

  goOnBy(sections: EndpointSections): void {
    this.#accounts = accountsWith(sections);
    this.#endpoint = this.#accounts.merchants[0].endpoints[0];
  }

  decide(number: number, asked: InquiredOrder): DecidedOrder {
    const now = addMs(NOON, number * GAP_MS);
    const order = this.#accepted(number, asked, now);
    let state = processingOf(order);
    const events: [PaymentEvent, ...PaymentEvent[]] = [{ type: 'OrderAccepted', data: order }];
    const take = (decided: NonEmpty<ProcessingEvent>): void => {
      events.push(...decided);
      state = decided.reduce(evolveProcessing, state);
    };
    for (let attempt = 1; state.due !== undefined && state.end === undefined; attempt++) {
      const key = `${number}-${attempt}` as AttemptKey;
      take(this.#started(order, asked, state, key, now));
      if (state.attempts.status === 'started') take(this.#answered(number, state, key, now));
    }
    return { stream: paymentStream(ACME, order.clientOrderId), events };
  }

  async writeRules(store: EventStore): Promise<void> {
    const screening = namedRules(this.#endpoint.screening);
    const routing = namedRouting(this.#endpoint.routing);
    if (screening !== undefined) {
      const to = screeningStream(screening.version);
      const event = { type: 'ScreeningRulesRecorded', data: { ...screening.configured, recordedAt: NOON } } as const;
      await store.append(to, 'no_stream', screeningCodec.encode([event], to, 'no_stream', envelopeOf('rules', NOON)));
    }
    if (routing !== undefined) {
      const to = routingStream(routing.version);
      const event = { type: 'RoutingRulesRecorded', data: { rules: routing.rules, recordedAt: NOON } } as const;
      await store.append(to, 'no_stream', routingCodec.encode([event], to, 'no_stream', envelopeOf('routes', NOON)));
    }
  }

  #accepted(number: number, { minor, lesser, card, bin, brand, issuerCountry }: InquiredOrder, now: Instant): AcceptedOrder {
    const amount = { minor, currency: USD };
    const amounts = lesser.length === 0 ? undefined : ([amount, ...lesser.map((less) => ({ minor: less, currency: USD }))] as const);
    const facts = { bin, brand, country: issuerCountry, amount, at: now };
    const face = { ...sampleCard().face, bin, brand };
    const screening = namedRules(this.#endpoint.screening)?.version;
    return sampleOrder({
      orderId: `p${String(number).padStart(10, '0')}r` as OrderId,
      clientOrderId: `inv-${number}` as ClientOrderId,
      amount,
      card: sampleCard({ uid: `uid-${card}` as never, face }),
      plan: samplePlan({
        ...this.#routed(number, facts),
        ...(amounts && { amounts: [...amounts] as unknown as NonNullable<Plan['amounts']> }),
        ...(screening !== undefined && { screening }),
      }),
      acceptedAt: now,
    });
  }

  #routed(number: number, facts: Parameters<typeof chooseRoute>[1]['facts']): Pick<Plan, 'gates' | 'route'> {
    const able = this.#endpoint.gates;
    const planned = (alias: GateAlias) => sampleGate({ alias });
    const routing = namedRouting(this.#endpoint.routing);
    if (routing === undefined) {
      const [first, ...others] = able;
      return { gates: [planned(first), ...others.map(planned)] };
    }
    const commissions = new Map(able.map((gate) => [gate, commissionOf(facts.amount.minor, this.#accounts.gate(gate).commission)]));
    const draws = new Map(able.map((gate) => [gate, this.#world.draw(number, gate)]));
    const route = chooseRoute(routing.rules, { facts, able, draws, commissions, away: new Set() });
    const [first, ...others] = route.gates;
    const { bin, brand, country } = facts;
    const inputs = { ...(bin !== undefined && { bin }), ...(brand !== undefined && { brand }), ...(country !== undefined && { country }) };
    return {
      gates: [planned(first), ...others.map(planned)],
      route: {
        rulesVersion: routing.version,
        rule: route.rule,
        ...inputs,
        able,
        drawnBy: 'chance',
        draws: [...draws].map(([gate, draw]) => ({ gate, draw })),
        chosenAt: facts.at,
      },
    };
  }

  #started(order: AcceptedOrder, asked: InquiredOrder, state: Processing, key: AttemptKey, now: Instant): NonEmpty<ProcessingEvent> {
    const { due } = state;
    if (due === undefined) throw new Error('nothing is due');
    const isFirst = state.attempts.status === 'none';
    const screened = isFirst ? this.#screened(order, asked, now) : undefined;
    return decidedOrThrow(
      decideProcessing(
        {
          type: 'StartAttempt',
          receiptId: 'receipt0of0the0sample0ab',
          data: { key, gate: due.gate, amount: amountOfRouteStep(order, due), issuer: { country: asked.issuerCountry }, now },
          ...(screened && { screened }),
        },
        state,
      ),
    );
  }

  #screened(order: AcceptedOrder, { issuerCountry, customerCountry, ip }: InquiredOrder, now: Instant) {
    const rules = namedRules(this.#endpoint.screening);
    if (rules === undefined) return undefined;
    const { perCard, perIp } = rules.configured;
    const prepared = preparedRules(rules.configured);
    const amounts = order.plan.amounts ?? [order.amount];
    const { bin } = order.card.face;
    const fixed = { amounts, leadingDigits: bin, customerCountry, issuerCountry, ip: parseIp(ip) };
    const screened = { rulesVersion: rules.version, bin, amounts, screenedAt: now };
    const before = screen(prepared, { ...fixed, cardCount: 0, ipCount: 0 });
    if (before !== undefined) return { ...screened, brokenRule: before };
    const cardCount = perCard.count > 0 ? this.#countOf(`card ${order.card.uid}`, perCard, now) : undefined;
    const isStopped = cardCount !== undefined && cardCount >= perCard.count;
    const ipCount = perIp.count > 0 && !isStopped ? this.#countOf(`ip ${ip}`, perIp, now) : undefined;
    const brokenRule = screen(prepared, { ...fixed, cardCount: cardCount ?? 0, ipCount: ipCount ?? 0 });
    return {
      ...screened,
      ...(cardCount !== undefined && { cardCount }),
      ...(ipCount !== undefined && { ipCount }),
      ...(brokenRule !== undefined && { brokenRule }),
    };
  }

  /** As `Velocity`: accepted orders within the time; this one is counted if it fits. */
  #countOf(what: string, { count, hours }: { readonly count: number; readonly hours: number }, now: Instant): number {
    const times = this.#counted.get(what) ?? [];
    const within = times.filter((time) => time > now - hours * HOUR_MS).length;
    if (within < count) this.#counted.set(what, [...times, now]);
    return Math.min(within, count);
  }

  #answered(number: number, state: Processing, key: AttemptKey, now: Instant): NonEmpty<ProcessingEvent> {
    if (state.attempts.status === 'none') throw new Error('nothing was started');
    const { gate, amount } = state.attempts;
    const answer = answerOf(this.#world.answer(number, gate, amount.minor));
    const data = { key, answer, now };
    return decidedOrThrow(decideProcessing({ type: 'RecordAnswer', receiptId: 'receipt0of0the0sample0ab', data }, state));
  }
}

const answerOf = (kind: GateAnswer['kind'] | 'declined-for-good'): GateAnswer => {
  switch (kind) {
    case 'approved':
      return { kind, receipt: sampleReceipt(), approvalCode: 'A1B2C3' };
    case 'declined':
      return { kind, receipt: sampleReceipt(), code: 100 };
    case 'declined-for-good':
      return { kind: 'declined', receipt: sampleReceipt(), code: 116 };
    case 'not-asked':
      return { kind, cause: 'unavailable' };
    case 'payer-needed':
    case 'unknown':
      return { kind: 'unknown', cause: 'timeout' };
  }
};

const decidedOrThrow = (decided: ReturnType<typeof decideProcessing>): NonEmpty<ProcessingEvent> => {
  if (isRejection(decided)) throw new Error(decided.reason);
  return decided;
};

const envelopeOf = (commandId: string, recordedAt: Instant): Envelope => ({
  correlation: commandId,
  causation: commandId,
  actor: ACME,
  merchant: ACME,
  commandId,
  recordedAt,
});

export const writeDecided = async (store: EventStore, { stream, events }: DecidedOrder): Promise<void> => {
  const encoded: NonEmpty<NewEvent> = paymentCodec.encode(events, stream, 'no_stream', envelopeOf(stream, NOON));
  await store.append(stream, 'no_stream', encoded);
};
