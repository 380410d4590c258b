import { addMs, type AttemptKey, type CardRefId, type GateAlias } from '@app/kernel';
import type { CanRegisterCards, Gate, RegisterAnswer, RegisterRequest } from '@app/gateway-adapters/contract';
import { metadataOf, type StoredEvent } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { OrderFact } from '@app/orders/domain';
import { sampleGates, sampleOrder, seededIds, seededRandom, VirtualClock } from '@app/testing';
import { cardReferenceStream } from './card-registration.codec';
import { issueReference } from './map-cards';
import { issuedReference } from './issued-references';
import { ASKED_FOR_MS, KeepGateToken } from './keep-gate-token.reactor';

const GATE = 'upstream-a' as GateAlias;
const KEY = '00000000-0000-4000-8000-0000000000a1' as AttemptKey;
const CARD_REF = 'csample0reference00c' as CardRefId;
const { orderId, clientOrderId, endpointId, card, customer, merchant } = sampleOrder();
const known = { orderKind: 'payment', orderId, clientOrderId, endpointId, card, customer } as const;
const order: OrderFact = { ...known, end: { kind: 'approved' }, approval: { gate: GATE, attemptKey: KEY, gateOrderId: '1402816' } };
const stream = cardReferenceStream(merchant, CARD_REF);
const SECOND_MS = 1_000;

const setUp = async () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const asked: RegisterRequest[] = [];
  const errors: unknown[] = [];
  const state = {
    answer: (): Promise<RegisterAnswer> => Promise.resolve({ kind: 'registered', cardToken: '1402817' }),
    isConfigured: true,
  };
  const registering: CanRegisterCards = {
    register: (request) => {
      asked.push(request);
      return state.answer();
    },
  };
  const gates = {
    find: (alias: GateAlias): Gate | undefined => (state.isConfigured ? { ...sampleGates().gate(alias), registering } : undefined),
  };
  const ports = { store, gates, clock, scheduler: clock, ids: seededIds(1), random: seededRandom(1) };
  const reactor = new KeepGateToken({ ...ports, onAdapterError: (error, about) => errors.push([error, about]) });
  const envelope = {
    correlation: 'serial-1',
    causation: 'serial-1',
    actor: merchant,
    merchant,
    commandId: 'serial-1',
    recordedAt: clock.now(),
  };
  await issueReference(
    { store, gates, digests: { cardRefId: () => CARD_REF } },
    { merchant, order, use: 'source', envelope, now: clock.now() },
  );
  const stored = async (): Promise<readonly StoredEvent[]> => {
    const events: StoredEvent[] = [];
    for await (const event of store.read(stream)) events.push(event);
    return events;
  };
  const story = async () => (await stored()).map(({ type }) => type);
  return { clock, store, reactor, state, asked, errors, stored, story, begunAt: clock.now() };
};

describe('a wanted gate token', () => {
  it('is requested once with the names of the approved order and stored with the trace of the originating request', async () => {
    const { store, reactor, asked, stored, story } = await setUp();
    await expect(reactor.keep(stream, GATE)).resolves.toBeUndefined();
    expect(asked).toStrictEqual([
      { key: KEY, orderId, merchant, endpointId, gateOrderId: '1402816', card: { bin: '444455', lastFour: '1111' } },
    ]);
    expect(await story()).toEqual(['CardReferenceIssued', 'GateTokenWanted', 'GateTokenKept']);
    const [, wanted, kept] = await stored();
    if (wanted === undefined || kept === undefined) throw new Error('nothing kept');
    expect(metadataOf(kept)).toMatchObject({ correlation: 'serial-1', causation: wanted.id, actor: 'orchestrator', merchant });
    expect((await issuedReference(store, merchant, CARD_REF))?.atGates).toEqual({ tokens: [{ gate: GATE, token: '1402817' }] });

    await expect(reactor.keep(stream, GATE)).resolves.toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('is not requested from another gate or for an unknown reference', async () => {
    const { reactor, asked } = await setUp();
    await expect(reactor.keep(stream, 'sim-a' as GateAlias)).resolves.toBeUndefined();
    await expect(reactor.keep(cardReferenceStream(merchant, 'd0sample0reference0c' as CardRefId), GATE)).resolves.toBeUndefined();
    expect(asked).toHaveLength(0);
  });

  it.each<[string, () => Promise<RegisterAnswer>, number]>([
    ['does not know the outcome', () => Promise.resolve({ kind: 'unknown', cause: 'timeout' }), 0],
    ['is unavailable', () => Promise.resolve({ kind: 'not-asked', cause: 'unavailable' }), 0],
    ['throws', () => Promise.reject(new Error('a fault of the adapter')), 2],
  ])('is requested again on the schedule if the gate %s, and is stored in the end', async (_, answer, errorsReported) => {
    const { clock, reactor, state, story, begunAt, errors } = await setUp();
    const honest = state.answer;
    state.answer = answer;
    await expect(reactor.keep(stream, GATE)).resolves.toBe(addMs(begunAt, SECOND_MS));
    await clock.advance(SECOND_MS);
    await expect(reactor.keep(stream, GATE)).resolves.toBe(addMs(begunAt, 3 * SECOND_MS));
    expect(await story()).toEqual(['CardReferenceIssued', 'GateTokenWanted']);
    state.answer = honest;
    await expect(reactor.keep(stream, GATE)).resolves.toBeUndefined();
    expect(await story()).toContain('GateTokenKept');
    expect(errors).toHaveLength(errorsReported);
  });

  it('is requested again if the gate times out or is not configured', async () => {
    const { clock, reactor, state, begunAt } = await setUp();
    state.answer = () => new Promise(() => undefined);
    const keeping = reactor.keep(stream, GATE);
    await clock.advance(30 * SECOND_MS);
    await expect(keeping).resolves.toBeGreaterThan(clock.now());
    state.isConfigured = false;
    await expect(reactor.keep(stream, GATE)).resolves.toBeGreaterThan(begunAt);
  });

  it.each<[string, RegisterAnswer, string]>([
    ['refuses', { kind: 'refused', cause: 'refused-by-gate' }, 'refused-by-gate'],
    ['returns the token of another card', { kind: 'refused', cause: 'other-card' }, 'other-card'],
    ['returns a token above 256 characters', { kind: 'registered', cardToken: 'x'.repeat(257) }, 'refused-by-gate'],
    ['returns an empty token', { kind: 'registered', cardToken: '' }, 'refused-by-gate'],
  ])('is given up permanently if the gate %s', async (_, answer, cause) => {
    const { reactor, state, stored } = await setUp();
    state.answer = () => Promise.resolve(answer);
    await expect(reactor.keep(stream, GATE)).resolves.toBeUndefined();
    const last = (await stored()).at(-1);
    expect(last).toMatchObject({ type: 'GateTokenRefused' });
    expect(JSON.parse(last?.data ?? '{}')).toMatchObject({ gate: GATE, cause });
  });

  it('is given up if the gate gave no answer for a week', async () => {
    const { clock, reactor, state, stored } = await setUp();
    state.answer = () => Promise.resolve({ kind: 'unknown', cause: 'timeout' });
    await clock.advance(ASKED_FOR_MS - 1);
    await expect(reactor.keep(stream, GATE)).resolves.toBeGreaterThan(clock.now());
    await clock.advance(1);
    await expect(reactor.keep(stream, GATE)).resolves.toBeUndefined();
    expect(JSON.parse((await stored()).at(-1)?.data ?? '{}')).toMatchObject({ cause: 'given-up' });
  });

  it('is recorded once if two processes request it', async () => {
    const { reactor, story } = await setUp();
    await Promise.all([reactor.keep(stream, GATE), reactor.keep(stream, GATE)]);
    expect(await story()).toEqual(['CardReferenceIssued', 'GateTokenWanted', 'GateTokenKept']);
  });
});
