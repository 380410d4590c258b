import { DemoChance } from './demo-chance';
import type { GateFault, GateScript } from './driven-service';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const DEMO_DAYS = 31;

export interface DemoPayer {
  readonly holder: string;
  readonly email: string;
  readonly cardNumber: string;
  readonly city: string;
  readonly country: string;
  readonly ip: string;
}

interface Step {
  readonly atMs: number;
}

export interface PaymentStep extends Step {
  readonly kind: 'payment';
  readonly name: string;
  readonly operation: 'sale' | 'preauth';
  readonly merchant: string;
  readonly endpoint: string;
  readonly currency: string;
  readonly amountMinor: number;
  readonly cvv: string;
  readonly payer: DemoPayer;
  readonly goods: string;
  /** What the payer does on the issuer's page. */
  readonly payerActs?: 'authenticates' | 'mistypes' | 'leaves' | undefined;
}

export interface FollowUpStep extends Step {
  readonly kind: 'capture' | 'return' | 'void';
  readonly of: string;
  readonly amountMinor?: number;
}

interface RegisterStep extends Step {
  readonly kind: 'register';
  readonly of: string;
}

export interface RebillStep extends Step {
  readonly kind: 'rebill';
  readonly name: string;
  readonly of: string;
  readonly amountMinor: number;
}

interface DeviceStep extends Step {
  readonly kind: 'device';
  readonly payer: DemoPayer;
  readonly amountMinor: number;
}

export interface ReportStep extends Step {
  readonly kind: 'report';
  readonly of: string;
  readonly report: Readonly<Record<string, string>>;
}

/** What people at the operator's house do, by names that `demo-staff.ts` knows. */
interface StaffStep extends Step {
  readonly kind: 'staff';
  readonly task: StaffTask;
  readonly of?: string;
}

export type StaffTask =
  | 'hold-northbank'
  | 'release-northbank'
  | 'change-weights'
  | 'take-northbank-out'
  | 'take-cardhub-out'
  | 'reconcile'
  | 'close-case'
  | 'apply-case'
  | 'approve'
  | 'reject'
  | 'return-small'
  | 'return-large'
  | 'legal-hold'
  | 'erase'
  | 'reveal'
  | 'evidence'
  | 'resend'
  | 'resolve';

interface WaitStep extends Step {
  readonly kind: 'wait';
}

export type DemoStep = PaymentStep | FollowUpStep | RegisterStep | RebillStep | DeviceStep | ReportStep | StaffStep | WaitStep;

export interface DemoPlan {
  readonly from: number;
  readonly until: number;
  /** In the order of time. */
  readonly steps: readonly DemoStep[];
  readonly scriptsAt: (atMs: number) => Readonly<Record<string, GateScript>>;
  readonly isBadHour: (atMs: number) => boolean;
  /** HTTP status that a merchant's server answers callbacks with. */
  readonly callbackStatus: (path: string, atMs: number) => number;
}

const FIRST_NAMES = [
  'Anna',
  'Ben',
  'Clara',
  'David',
  'Elin',
  'Finn',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Karin',
  'Lars',
  'Mila',
  'Noah',
  'Olga',
  'Paul',
  'Rosa',
  'Sven',
  'Tove',
  'Victor',
];
const LAST_NAMES = [
  'Almeida',
  'Berg',
  'Costa',
  'Dahl',
  'Eriksen',
  'Fischer',
  'Garnier',
  'Hansen',
  'Iversen',
  'Jansen',
  'Keller',
  'Larsen',
  'Moreau',
  'Novak',
  'Olsen',
  'Petit',
  'Richter',
  'Silva',
  'Thorn',
  'Weber',
];
const PLACES = [
  ['Berlin', 'DE'],
  ['Oslo', 'NO'],
  ['Lyon', 'FR'],
  ['Porto', 'PT'],
  ['Vienna', 'AT'],
  ['Boston', 'US'],
] as const;
const BINS = [
  ['444433', 3],
  ['414720', 4],
  ['520082', 3],
  ['552433', 2],
  ['400000', 1],
] as const;
const GOODS = [
  'Running shoes',
  'Rain jacket',
  'Two books',
  'Gift card',
  'Winter boots',
  'Backpack',
  'Yearly subscription',
  'Tent',
  'Socks, 3 pairs',
  'Headlamp',
];

const ENTRY_POINTS: readonly (readonly [entry: Pick<PaymentStep, 'merchant' | 'endpoint' | 'currency'>, weight: number])[] = [
  [{ merchant: 'acme', endpoint: '1002', currency: 'EUR' }, 13],
  [{ merchant: 'acme', endpoint: '1001', currency: 'USD' }, 6],
  [{ merchant: 'acme', endpoint: '1003', currency: 'EUR' }, 3],
  [{ merchant: 'fjord', endpoint: '2001', currency: 'EUR' }, 7],
  [{ merchant: 'fjord', endpoint: '2002', currency: 'GBP' }, 3],
  [{ merchant: 'lumen', endpoint: '3001', currency: 'EUR' }, 5],
];

/** The simulator decides by the CVV (protocol decisions, section 9). */
const CVVS = [
  ['123', 840],
  ['116', 60],
  ['555', 45],
  ['119', 15],
  ['101', 10],
  ['209', 6],
  ['217', 14],
  ['218', 6],
] as const;
const PAYER_CVV = '321';
const WITH_PAYER: ReadonlySet<string> = new Set(['1003', '3001']);

/** Share of a day's orders by hour, UTC. */
const BY_HOUR = [1, 1, 1, 1, 1, 2, 3, 5, 7, 8, 9, 9, 10, 9, 8, 8, 9, 10, 12, 13, 12, 9, 5, 2];

const luhnDigit = (digits: string): number => {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return (10 - (sum % 10)) % 10;
};

const payersOf = (chance: DemoChance, count: number): readonly DemoPayer[] =>
  Array.from({ length: count }, (_, at) => {
    const [first, last, [city, country]] = [chance.pick(FIRST_NAMES), chance.pick(LAST_NAMES), chance.pick(PLACES)];
    const digits = `${chance.weighted(BINS)}${String(chance.between(0, 999_999_999)).padStart(9, '0')}`;
    return {
      holder: `${first} ${last}`.toUpperCase(),
      email: `${first}.${last}.${at}@example.com`.toLowerCase(),
      cardNumber: `${digits}${luhnDigit(digits)}`,
      city,
      country,
      ip: `198.51.100.${chance.between(1, 254)}`,
    };
  });

const amountOf = (chance: DemoChance): number => {
  const base = Math.exp(3.4 + 1.0 * (chance.fraction() + chance.fraction() + chance.fraction() - 1.5) * 1.6);
  const major = Math.min(Math.max(Math.round(base), 4), 640);
  // Of cents only those that decide nothing at the simulator, for charges without a CVV.
  return major * 100 - chance.pick([0, 5, 10, 50]);
};

interface Weather {
  readonly gate: string;
  readonly from: number;
  readonly until: number;
  /** `gone`: no request gets through. */
  readonly kind: 'silent' | 'slow' | 'gone';
}

const GATES = ['northbank', 'paylane', 'cardhub'];
const SCRIPT_CALLS = 61;
const LATENCY_MS_MAX = 9_000;
const TYPICAL_MS: Readonly<Record<string, number>> = { northbank: 420, paylane: 260, cardhub: 610 };

/** Recent, so that no operator has held the gate yet. */
const CARDHUB_GONE_MS = 16 * MINUTE_MS;

/** @param until the present: the last two outages have not ended */
const weatherOf = (until: number): readonly Weather[] => [
  { gate: 'northbank', from: until - 24 * DAY_MS, until: until - 24 * DAY_MS + 150 * MINUTE_MS, kind: 'silent' },
  { gate: 'paylane', from: until - 11 * DAY_MS, until: until - 11 * DAY_MS + 3 * HOUR_MS, kind: 'slow' },
  { gate: 'cardhub', from: until - 5 * DAY_MS, until: until - 5 * DAY_MS + 40 * MINUTE_MS, kind: 'silent' },
  { gate: 'northbank', from: until - 130 * MINUTE_MS, until, kind: 'silent' },
  { gate: 'cardhub', from: until - CARDHUB_GONE_MS, until, kind: 'gone' },
];

const latency = (chance: DemoChance, typicalMs: number): GateFault => ({
  kind: 'answers-late',
  delayMs: Math.round(
    Math.min(typicalMs * Math.exp((chance.fraction() + chance.fraction() + chance.fraction() - 1.5) * 0.9), LATENCY_MS_MAX),
  ),
});

const scriptOf = (chance: DemoChance, gate: string, weather: Weather | undefined): GateScript => {
  const typicalMs = TYPICAL_MS[gate] ?? 300;
  const calm = (): GateFault => latency(chance, typicalMs);
  const calls = (next: () => GateFault): readonly GateFault[] => Array.from({ length: SCRIPT_CALLS }, next);
  if (weather === undefined) return { charging: calls(calm), inquiring: calls(calm) };
  if (weather.kind === 'slow') return { charging: calls(() => latency(chance, typicalMs * 14)), inquiring: calls(calm) };
  // No call without an end: no answer about its key could be believed, so its outcome would stay unknown for the whole month.
  const lost = (): GateFault =>
    weather.kind === 'silent' && chance.happens(0.15)
      ? calm()
      : { kind: chance.pick(['answer-lost', 'request-lost', 'request-lost', 'request-lost']) };
  return { charging: calls(lost), inquiring: calls(() => ({ kind: 'request-lost' })) };
};

const SITE_DOWN_MS = 26 * HOUR_MS;

export interface DemoRequest {
  readonly orders: number;
  readonly seed: number;
  /** Epoch milliseconds: the history ends here. */
  readonly until: number;
}

/** What happens in the demonstration's month, decided before anything is sent. A seed gives the same plan, relative to its end. */
export const demoPlan = ({ orders, seed, until }: DemoRequest): DemoPlan => {
  const from = until - DEMO_DAYS * DAY_MS;
  const chance = new DemoChance(seed);
  const weather = weatherOf(until);
  const payers = payersOf(chance, Math.max(12, Math.round(orders / 6)));
  const steps: DemoStep[] = [];
  const timeOf = (): number => {
    const hour = chance.weighted(BY_HOUR.map((weight, at) => [at, weight] as const));
    const day = chance.between(0, DEMO_DAYS - 1);
    const atMs = Math.floor(from / DAY_MS) * DAY_MS + day * DAY_MS + hour * HOUR_MS + chance.between(0, HOUR_MS - 1);
    return Math.min(Math.max(atMs, from + MINUTE_MS), until - 3 * MINUTE_MS);
  };
  const payment = (name: string, atMs: number, more: Partial<PaymentStep> = {}): PaymentStep => {
    const entry = chance.weighted(ENTRY_POINTS);
    const asksPayer = WITH_PAYER.has(more.endpoint ?? entry.endpoint) && chance.happens(0.6);
    return {
      kind: 'payment',
      atMs,
      name,
      operation: 'sale',
      ...entry,
      amountMinor: amountOf(chance),
      cvv: asksPayer ? PAYER_CVV : chance.weighted(CVVS),
      payer: chance.pick(payers),
      goods: chance.pick(GOODS),
      ...(asksPayer && {
        payerActs: chance.weighted([
          ['authenticates', 17],
          ['leaves', 2],
          ['mistypes', 1],
        ] as const),
      }),
      ...more,
    };
  };
  const later = (atMs: number, min: number, max: number): number => atMs + chance.between(min, max);
  const add = (step: DemoStep): void => {
    if (step.atMs < until - MINUTE_MS) steps.push(step);
  };

  for (let number = 1; number <= orders; number++) {
    const name = `order-${String(number).padStart(5, '0')}`;
    const order = payment(name, timeOf());
    const isPlain = order.cvv === '123';
    const fate = chance.fraction();
    if (isPlain && fate < 0.06) {
      add({ ...order, operation: 'preauth' });
      if (chance.happens(0.85))
        add({
          kind: 'capture',
          of: name,
          atMs: later(order.atMs, 2 * HOUR_MS, 3 * DAY_MS),
          ...(chance.happens(0.2) && { amountMinor: Math.ceil(order.amountMinor / 200) * 100 }),
        });
      continue;
    }
    add(order);
    if (!isPlain) continue;
    if (fate < 0.11)
      add({
        kind: 'return',
        of: name,
        atMs: later(order.atMs, 8 * HOUR_MS, 6 * DAY_MS),
        ...(chance.happens(0.4) && { amountMinor: Math.ceil(order.amountMinor / 200) * 100 }),
      });
    else if (fate < 0.12) add({ kind: 'void', of: name, atMs: later(order.atMs, 2 * MINUTE_MS, HOUR_MS) });
    else if (fate < 0.145) {
      add({ kind: 'register', of: name, atMs: later(order.atMs, 20 * SECOND_MS, 2 * MINUTE_MS) });
      for (let week = 1; week <= 4; week++)
        add({
          kind: 'rebill',
          name: `${name}-again-${week}`,
          of: name,
          atMs: order.atMs + week * 7 * DAY_MS,
          amountMinor: order.amountMinor,
        });
    } else if (fate < 0.152 && until - order.atMs > 5 * DAY_MS) disputes(add, chance, order, until);
  }
  bursts(add, payment, chance, { until, payers, orders });
  staff(add, until);
  for (const { from: begin, until: end } of weather)
    for (let atMs = begin; atMs < end + 2 * HOUR_MS; atMs += 5 * MINUTE_MS) add({ kind: 'wait', atMs });
  steps.sort((one, other) => one.atMs - other.atMs);

  const weatherAt = (gate: string, atMs: number): Weather | undefined =>
    weather.find((one) => one.gate === gate && atMs >= one.from && atMs < one.until);
  return {
    from,
    until,
    steps: withoutLongGaps(steps, from, until),
    scriptsAt: (atMs) => {
      const own = new DemoChance(seed + Math.floor(atMs / HOUR_MS));
      return Object.fromEntries(GATES.map((gate) => [gate, scriptOf(own, gate, weatherAt(gate, atMs))]));
    },
    isBadHour: (atMs) => weather.some((one) => atMs >= one.from && atMs < one.until),
    callbackStatus: (path, atMs) => {
      if (path === '/fjord' && atMs > until - SITE_DOWN_MS) return 500;
      if (path === '/moved') return 404;
      return atMs > until - 20 * DAY_MS && atMs < until - 20 * DAY_MS + 4 * HOUR_MS ? 503 : 200;
    },
  };
};

const GAP_MS_MAX = HOUR_MS;

/** The service must look for its own due work in between. */
const withoutLongGaps = (steps: readonly DemoStep[], from: number, until: number): readonly DemoStep[] => {
  const filled: DemoStep[] = [];
  let atMs = from;
  const waitUntil = (end: number): void => {
    for (; end - atMs > GAP_MS_MAX; filled.push({ kind: 'wait', atMs })) atMs += GAP_MS_MAX;
  };
  for (const step of steps) {
    waitUntil(step.atMs);
    filled.push(step);
    atMs = step.atMs;
  }
  waitUntil(until);
  return filled;
};

const dayText = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

const REASONS = ['10.4', '13.1', '13.3', '4837', '4853'];

const disputes = (add: (step: DemoStep) => void, chance: DemoChance, order: PaymentStep, until: number): void => {
  const atMs = order.atMs + chance.between(3 * DAY_MS, Math.max(until - order.atMs - DAY_MS, 3 * DAY_MS));
  const id = `CB-${order.name.slice(-5)}`;
  const amount = (order.amountMinor / 100).toFixed(2);
  const { currency } = order;
  if (chance.happens(0.2))
    add({
      kind: 'report',
      of: order.name,
      atMs: atMs - 2 * DAY_MS,
      report: { kind: 'fraud-warning', case: `FW-${id.slice(3)}`, amount, currency, date: dayText(atMs - 2 * DAY_MS) },
    });
  add({
    kind: 'report',
    of: order.name,
    atMs,
    report: {
      kind: 'chargeback',
      case: id,
      amount,
      currency,
      reasonCode: chance.pick(REASONS),
      stage: 'first',
      date: dayText(atMs),
      respondBy: dayText(atMs + chance.between(6, 20) * DAY_MS),
    },
  });
  const answer = chance.pick(['represented', 'represented', 'revealed', 'none'] as const);
  if (answer === 'represented') {
    add({ kind: 'staff', task: 'evidence', of: order.name, atMs: atMs + 3 * HOUR_MS });
    add({
      kind: 'report',
      of: order.name,
      atMs: atMs + 5 * DAY_MS,
      report: {
        kind: 'representment',
        case: id,
        outcome: chance.pick(['won', 'won', 'lost']),
        date: dayText(atMs + 5 * DAY_MS),
      },
    });
  } else if (answer === 'revealed') add({ kind: 'staff', task: 'reveal', of: order.name, atMs: atMs + 2 * HOUR_MS });
};

type Payment = (name: string, atMs: number, more?: Partial<PaymentStep>) => PaymentStep;

interface Installation {
  readonly until: number;
  readonly payers: readonly DemoPayer[];
  readonly orders: number;
}

/** Single stories that every demonstration has, however few its orders. */
const bursts = (add: (step: DemoStep) => void, payment: Payment, chance: DemoChance, { until, payers, orders }: Installation): void => {
  const [stolen, large, regular] = payers as readonly [DemoPayer, DemoPayer, DemoPayer];
  const euro = { merchant: 'acme', endpoint: '1002', currency: 'EUR', cvv: '123', payerActs: undefined } as const;
  // A stolen card, tried until the shop's screening refuses it.
  for (let number = 1; number <= 7; number++)
    add(
      payment(`tried-${number}`, until - 9 * DAY_MS + number * 90 * SECOND_MS, {
        merchant: 'lumen',
        endpoint: '3001',
        currency: 'EUR',
        cvv: '123',
        payer: stolen,
        payerActs: undefined,
      }),
    );
  // Orders for the acts of operators.
  for (const name of ['large-1', 'large-2', 'large-3', 'large-4'])
    add(
      payment(name, until - 7 * DAY_MS + chance.between(0, DAY_MS), { ...euro, payer: large, amountMinor: chance.between(230, 520) * 100 }),
    );
  for (const name of ['small-1', 'small-2', 'held-1', 'erased-1', 'disputed-1', 'disputed-2'])
    add(
      payment(name, until - 8 * DAY_MS + chance.between(0, DAY_MS), {
        ...euro,
        payer: regular,
        amountMinor: chance.between(30, 120) * 100,
      }),
    );
  for (const [number, days] of [
    [1, 2],
    [2, 12],
  ] as const) {
    const atMs = until - 2 * DAY_MS + number * HOUR_MS;
    add({
      kind: 'report',
      of: `disputed-${number}`,
      atMs,
      report: {
        kind: 'chargeback',
        case: `CB-9000${number}`,
        amount: '30.00',
        currency: 'EUR',
        reasonCode: '10.4',
        stage: 'first',
        date: dayText(atMs),
        respondBy: dayText(until + days * DAY_MS),
      },
    });
  }
  // The outage of today.
  for (let number = 1; number <= Math.min(24, Math.max(5, Math.round(orders / 125))); number++)
    add(
      payment(`today-${number}`, until - 125 * MINUTE_MS + number * 4 * MINUTE_MS, {
        merchant: 'fjord',
        endpoint: '2001',
        currency: 'EUR',
        cvv: '123',
        payerActs: undefined,
      }),
    );
  for (let number = 1; number <= 12; number++)
    add(
      payment(`cardhub-${number}`, until - CARDHUB_GONE_MS + number * 70 * SECOND_MS, {
        ...euro,
        endpoint: '1003',
      }),
    );
  // The last hour, for the figures that show no more.
  for (let number = 1; number <= Math.min(70, Math.ceil(orders / 40)); number++)
    add(payment(`now-${number}`, until - 55 * MINUTE_MS + chance.between(0, 53 * MINUTE_MS)));
  // The server that answers with errors since yesterday.
  for (let number = 1; number <= 3; number++)
    add(
      payment(`unheard-${number}`, until - 20 * HOUR_MS + number * HOUR_MS, {
        merchant: 'fjord',
        endpoint: '2002',
        currency: 'GBP',
        cvv: '123',
        payerActs: undefined,
      }),
    );
  for (let number = 1; number <= Math.min(12, Math.ceil(orders / 40)); number++)
    add({
      kind: 'device',
      atMs: until - 28 * DAY_MS + Math.floor((number * 27 * DAY_MS) / 13),
      payer: chance.pick(payers),
      amountMinor: amountOf(chance),
    });
};

const staff = (add: (step: DemoStep) => void, until: number): void => {
  const at = (days: number, minutes: number): number => until - days * DAY_MS + minutes * MINUTE_MS;
  const task = (name: StaffTask, atMs: number, of?: string): void =>
    add({ kind: 'staff', task: name, atMs, ...(of !== undefined && { of }) });
  task('hold-northbank', at(24, 25));
  task('release-northbank', at(24, 165));
  task('change-weights', at(15, 30));
  task('return-small', at(6, 10), 'small-1');
  task('return-small', at(5, 70), 'small-2');
  task('legal-hold', at(5, 90), 'held-1');
  task('erase', at(4, 10), 'erased-1');
  task('reconcile', at(4, 20));
  task('close-case', at(3, 15));
  task('return-large', at(3, 30), 'large-1');
  task('approve', at(3, 95));
  task('return-large', at(2, 30), 'large-2');
  task('reject', at(2, 80));
  task('reveal', at(1, 200), 'disputed-1');
  task('evidence', at(1, 220), 'disputed-1');
  task('resend', at(0, -600));
  task('apply-case', at(0, -500));
  task('return-large', at(0, -300), 'large-3');
  task('return-large', at(0, -190), 'large-4');
  task('take-northbank-out', at(0, -28));
  task('hold-northbank', at(0, -24));
  task('resolve', at(0, -12));
  task('take-cardhub-out', at(0, -2));
};
