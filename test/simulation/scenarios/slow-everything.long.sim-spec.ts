import { sleep, type AttemptKey } from '@app/kernel';
import type { ChargeAnswer, InquiryAnswer } from '@app/gateway-adapters/contract';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { seededRandom, wholeNumber } from '@app/testing';
import { OrderScenario } from './order-scenario';
import { approvedBy } from './scripted-gate';

/** 10,000 on demand. */
const SEEDS = wholeNumber('SEEDS', 80);
const FLIGHT_MS = 4_990;
const ROUNDS = 120;
const LAST_ROUNDS = 40;
const PAGE = { kind: 'payer-needed', transactionId: 'tx', page: { action: 'https://acs.example/', fields: {} } } as const;
type Booked = 'page' | 'approved';

class Chance {
  readonly #random: { fraction(): number };

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  is(probability: number): boolean {
    return this.#random.fraction() < probability;
  }

  upTo(ms: number): number {
    return Math.floor(this.#random.fraction() * ms);
  }

  delayMs(shortMs: number, longMs: number, isShort = 0.5): number {
    return this.upTo(this.is(isShort) ? shortMs : longMs);
  }
}

/** A slow gate that loses requests and answers. It answers an inquiry by its state at some moment during the inquiry. */
const slowGate = ({ gate, clock }: OrderScenario, chance: Chance, isAuthenticated: boolean) => {
  const ledger = new Map<AttemptKey, Booked>();
  const sent: Booked[] = [];
  const call = async (key: AttemptKey, what: Booked): Promise<ChargeAnswer> => {
    sent.push(what);
    const isLost = chance.is(0.15);
    const flightMs = chance.upTo(FLIGHT_MS);
    if (!isLost) clock.after(flightMs, () => ledger.set(key, what));
    if (isLost || chance.is(0.3)) {
      await sleep(clock, chance.delayMs(1_000, 60_000, 0.7));
      return { kind: 'unknown', cause: 'connection-lost' };
    }
    await sleep(clock, flightMs + chance.delayMs(3_000, 90_000));
    return what === 'page' ? PAGE : approvedBy(key);
  };
  gate.onCharge = ({ key }) => call(key, isAuthenticated ? 'page' : 'approved');
  gate.onComplete = (key) => call(key, 'approved');
  gate.onInquiry = async (key): Promise<InquiryAnswer> => {
    await sleep(clock, chance.delayMs(500, 20_000, 0.8));
    const known = ledger.get(key);
    await sleep(clock, chance.delayMs(500, 20_000));
    if (chance.is(0.1)) return { kind: 'unknown', cause: 'timeout' };
    if (known === undefined) return { kind: 'not-found' };
    return known === 'page' ? PAGE : approvedBy(key);
  };
  return { ledger, sent };
};

const slowLog = ({ store, clock }: OrderScenario, chance: Chance): void => {
  const append = store.append.bind(store);
  store.append = async (...parameters) => {
    if (chance.is(0.03)) throw new StoreUnavailable('away');
    if (chance.is(0.2)) await sleep(clock, chance.delayMs(3_000, 45_000));
    const answer = await append(...parameters);
    if (chance.is(0.25)) await sleep(clock, chance.delayMs(3_000, 45_000));
    if (chance.is(0.07)) throw new OutcomeUnknown('lost');
    return answer;
  };
};

const faultsOf = async (seed: number): Promise<readonly string[]> => {
  const chance = new Chance(seed);
  const world = new OrderScenario(chance.is(0.7));
  const { clock, stream } = world;
  await world.accept();
  const { ledger, sent } = slowGate(world, chance, chance.is(0.5));
  slowLog(world, chance);
  const processes = world.isShared ? [world, world.newProcess(), world.newProcess()] : [world];
  const failed = (): undefined => undefined;
  for (let round = 0, returns = 0; round < ROUNDS; round++) {
    const process = processes[chance.upTo(processes.length)] ?? world;
    if (chance.is(0.7)) void process.workOrder.work(stream).catch(failed);
    const attempts = await world.attempts();
    if (attempts.status === 'payer-needed' && returns < 3 && chance.is(0.5)) {
      returns++;
      void process.returnPayer.payerReturned(stream, attempts.key, new Map()).catch(failed);
    }
    await clock.advance(chance.delayMs(1_500, 15_000, 0.6));
  }
  await clock.advance(300_000);
  for (let round = 0; round < LAST_ROUNDS; round++) {
    void world.workOrder.work(stream).catch(failed);
    await clock.advance(60_000);
  }
  const story = await world.story();
  const isCharged = [...ledger.values()].includes('approved');
  return [
    ...(new Set(sent).size < sent.length ? ['something was sent twice'] : []),
    ...(isCharged === story.includes('OrderApproved') ? [] : [`charged: ${isCharged}, and ${story.join(', ')}`]),
    ...(story.includes('LateResultConflict') ? [`contradicted: ${story.join(', ')}`] : []),
  ];
};

it(`an order is charged once and ends as its gate reports despite any delays of log, gate and inquiries: ${SEEDS} seeds (safety, I1, I1b and I4)`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) expect([seed, await faultsOf(seed)]).toStrictEqual([seed, []]);
}, 3_600_000);
