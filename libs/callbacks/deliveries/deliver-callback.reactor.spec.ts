import { addMs, type Sealed } from '@app/kernel';
import { load, metadataOf, OutcomeUnknown, StoreUnavailable, type CallerTrace, type WorkItem } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { CallbackTarget } from '@app/orders/events';
import { seededIds, seededRandom, VirtualClock } from '@app/testing';
import type { EgressOutcome } from '@app/http/client';
import { FactMissing, type CallbackFacts } from './callback-request';
import { deliveryCodec, deliveryKey, deliveryStream } from './delivery.codec';
import { delivery, type DeliveryEvent } from '../domain/delivery';
import { failingStore, type AppendFault } from '../testing/failing-store';
import { answers, FakeMerchants, type Reaction } from '../testing/fake-merchants';
import { merchantsNamed, factsOf, notifiedOrder, type NotifiedOrder } from '../testing/notified-orders';
import { CallbackNotSent, DeliverCallbackReactor, type DeliverCallbackPorts, type TriedCallback } from './deliver-callback.reactor';

const order = notifiedOrder(1, 'acme');
const identity = { factId: order.factId, target: 'callback', orderStream: order.stream } as const;
const names = { deliveryId: order.factId, stream: order.stream, serial: order.fact.correlation };
const middle = { ...seededRandom(), fraction: () => 0.5 };

const itemOf = ({ factId, stream, fact }: NotifiedOrder, clock: VirtualClock, target: CallbackTarget = 'callback'): WorkItem => ({
  key: deliveryKey(factId, target),
  stream,
  task: target,
  dueAt: clock.now(),
  merchant: fact.merchant,
  lane: fact.merchant,
});

const world = (react: (callNumber: number) => Reaction, more: (clock: VirtualClock) => Partial<DeliverCallbackPorts> = () => ({})) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const servers = new FakeMerchants(clock, (_, callNumber) => react(callNumber));
  const tried: TriedCallback[] = [];
  const ports: DeliverCallbackPorts = {
    store,
    facts: factsOf([order]),
    merchants: merchantsNamed('acme'),
    egress: servers,
    clock,
    ids: seededIds(),
    random: middle,
    speedFactor: 1,
    onTried: (one) => tried.push(one),
    ...more(clock),
  };
  const reactor = new DeliverCallbackReactor(ports);
  const item = itemOf(order, clock);
  const deliver = () => reactor.on(item);
  const events = async (target: CallbackTarget = 'callback'): Promise<DeliveryEvent[]> => {
    const found: DeliveryEvent[] = [];
    for await (const stored of store.read(deliveryStream(order.factId, target))) found.push(deliveryCodec.decode(stored));
    return found;
  };
  return { clock, store, servers, tried, ports, reactor, item, deliver, events };
};

describe('a clock that is set back', () => {
  it('before the last attempt makes the next attempt due at once and schedules the following one by the new clock', async () => {
    const { clock, deliver, servers, events } = world(() => answers(500));
    await deliver();
    await deliver();
    expect(servers.calls).toHaveLength(1);
    clock.jump(-86_400_000);
    await expect(deliver()).resolves.toBeUndefined();
    expect(servers.calls).toHaveLength(2);
    expect((await events()).at(-1)).toMatchObject({ data: { tryNumber: 2, failedAt: clock.now(), nextTryAt: clock.now() + 30_000 } });
    await expect(deliver()).resolves.toBe(clock.now() + 30_000);
    expect(servers.calls).toHaveLength(2);
  });

  it("before an operator's resend request makes the requested attempt due at once", async () => {
    const { clock, store, deliver, servers } = world(() => answers(200));
    await deliver();
    const stream = deliveryStream(order.factId, 'callback');
    const { last } = await load(store, stream, delivery, deliveryCodec);
    const envelope = {
      correlation: 'c',
      causation: 'c',
      actor: 'olga',
      merchant: order.fact.merchant,
      commandId: 'r',
      recordedAt: clock.now(),
    };
    const wish = { type: 'CallbackResendRequested' as const, data: { ...identity, reason: 'sealed' as Sealed, requestedAt: clock.now() } };
    if (last === 'no_stream') throw new Error('no delivery');
    await store.append(stream, last.revision, deliveryCodec.encode([wish], stream, last, envelope));
    clock.jump(-3_600_000);
    await deliver();
    expect(servers.calls).toHaveLength(2);
  });
});

describe('a callback to a merchant that returns 200', () => {
  it('is delivered by one call and recorded by one event', async () => {
    const { clock, deliver, events, servers, tried } = world(() => answers(200));
    await deliver();
    expect(await events()).toStrictEqual([
      { type: 'CallbackDelivered', data: { ...identity, tries: 1, status: 200, deliveredAt: clock.now() } },
    ]);
    expect(servers.calls).toHaveLength(1);
    expect(servers.calls[0]?.headers['webhook-id']).toBe(order.factId);
    expect(tried).toStrictEqual([
      { ...names, merchant: 'acme', target: 'callback', tryNumber: 1, outcome: 'delivered', isExhausted: false },
    ]);
  });

  it('is not sent again if its work item is dispatched twice', async () => {
    const { deliver, events, servers, tried } = world(() => answers(200));
    await deliver();
    await deliver();
    expect(servers.calls).toHaveLength(1);
    expect(await events()).toHaveLength(1);
    expect(tried).toHaveLength(1);
  });

  describe('whose item no one changed since the fact', () => {
    const claimed = (more?: Parameters<typeof world>[1]) => {
      const { clock, store, ...rest } = world(() => answers(200), more);
      const recordedAt = clock.now();
      const facts = factsOf([{ ...order, fact: { ...order.fact, recordedAt } }]);
      const reactor = new DeliverCallbackReactor({ ...rest.ports, facts });
      const read = jest.spyOn(store, 'read');
      return { ...rest, clock, read, claimedItem: { ...rest.item, dueBeforeClaim: recordedAt }, again: reactor };
    };

    it('is sent and recorded without a read', async () => {
      const { again, claimedItem, read, events } = claimed();
      await again.on(claimedItem);
      expect(read).not.toHaveBeenCalled();
      expect(await events()).toHaveLength(1);
    });

    it('is recorded once even if it was delivered before', async () => {
      const { again, claimedItem, deliver, events } = claimed();
      await deliver();
      await again.on(claimedItem);
      expect(await events()).toHaveLength(1);
    });

    it.each([
      ['it is old, as in a work table that is being rebuilt', 10_000, 0],
      ['it was due at another time', 0, 1],
    ])('is not sent again if %s', async (_why, ageMs, shiftMs) => {
      const { again, claimedItem, deliver, clock, servers } = claimed();
      await deliver();
      await clock.advance(ageMs);
      await again.on({ ...claimedItem, dueBeforeClaim: addMs(claimedItem.dueBeforeClaim, shiftMs) });
      expect(servers.calls).toHaveLength(1);
    });
  });

  it('is delivered separately to each target of a fact', async () => {
    const { clock, reactor, events, servers } = world(() => answers(200));
    await reactor.on(itemOf(order, clock, 'callback'));
    await reactor.on(itemOf(order, clock, 'notify'));
    expect(servers.calls.map(({ headers }) => headers['webhook-id'])).toStrictEqual([order.factId, order.factId]);
    expect(await events('notify')).toStrictEqual([
      { type: 'CallbackDelivered', data: { ...identity, target: 'notify', tries: 1, status: 200, deliveredAt: clock.now() } },
    ]);
  });

  it('is recorded with the originating request as correlation and the fact as causation (architecture, rule 7)', async () => {
    const { clock, deliver, store } = world(() => answers(200));
    await deliver();
    for await (const stored of store.read(deliveryStream(order.factId, 'callback'))) {
      expect(metadataOf(stored)).toStrictEqual({
        correlation: order.fact.correlation,
        causation: order.factId,
        actor: 'callbacks',
        merchant: 'acme',
        schemaVersion: 1,
        recordedAt: clock.now(),
        previousHash: null,
        stream: stored.stream,
      });
    }
    expect((await load(store, deliveryStream(order.factId, 'callback'), delivery, deliveryCodec)).eventCount).toBe(1);
  });
});

describe('a callback to a merchant that does not return 200', () => {
  it('is sent again only when the next attempt is due, with the same id and bytes (safety, I5) [W332]', async () => {
    const { clock, deliver, events, servers, tried } = world((number) => (number === 1 ? answers(503) : answers(200)));
    const failedAt = clock.now();
    await deliver();
    await clock.advance(14_999);
    await deliver();
    expect(servers.calls).toHaveLength(1);
    await clock.advance(1);
    await deliver();
    const [first, second] = servers.calls;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(await events()).toStrictEqual([
      {
        type: 'CallbackFailed',
        data: { ...identity, tryNumber: 1, failure: { cause: 'answered', status: 503 }, failedAt, nextTryAt: failedAt + 15_000 },
      },
      { type: 'CallbackDelivered', data: { ...identity, tries: 2, status: 200, deliveredAt: clock.now() } },
    ]);
    expect(tried).toStrictEqual([
      {
        ...names,
        merchant: 'acme',
        target: 'callback',
        tryNumber: 1,
        outcome: 'answered',
        cause: { cause: 'answered', status: 503 },
        isExhausted: false,
      },
      { ...names, merchant: 'acme', target: 'callback', tryNumber: 2, outcome: 'delivered', isExhausted: false },
    ]);
  });

  it('is attempted 30 times over 14 days and then reported as exhausted (safety, F30) [W330]', async () => {
    const { clock, deliver, events, servers, tried } = world(() => ({ kind: 'down' }));
    const startMs = clock.now();
    for (let round = 1; round <= 40; round++) {
      await deliver();
      const newest = (await events()).at(-1);
      if (newest?.type === 'CallbackFailed') clock.jump(newest.data.nextTryAt - clock.now());
    }
    expect(servers.calls).toHaveLength(30);
    expect((servers.calls.at(-1)?.atMs ?? 0) - startMs).toBe(335 * 3_600_000 + 8 * 60_000 + 45_000);
    expect((await events()).map(({ type }) => type)).toStrictEqual([...Array<string>(29).fill('CallbackFailed'), 'CallbackExhausted']);
    expect(tried.filter(({ isExhausted }) => isExhausted)).toStrictEqual([
      {
        ...names,
        merchant: 'acme',
        target: 'callback',
        tryNumber: 30,
        outcome: 'connection-failed',
        cause: { cause: 'connection-failed', code: 'ECONNREFUSED' },
        isExhausted: true,
      },
    ]);
  });

  it('is repeated sooner with a speed factor', async () => {
    const { clock, deliver, events } = world(
      () => answers(500),
      () => ({ speedFactor: 1_000 }),
    );
    await deliver();
    expect((await events()).map(({ data }) => 'nextTryAt' in data && data.nextTryAt - clock.now())).toStrictEqual([15]);
  });

  it.each<[string, Partial<DeliverCallbackPorts>, string]>([
    ['whose order names no address any more', { facts: factsOf([]) }, 'no-address'],
    ['that the configuration does not know', { merchants: merchantsNamed('other') }, 'unknown-merchant'],
  ])('%s is not called, and the attempt counts', async (_, more, cause) => {
    const { deliver, events, servers, clock } = world(
      () => answers(200),
      () => more,
    );
    await deliver();
    expect(servers.calls).toHaveLength(0);
    expect(await events()).toStrictEqual([
      {
        type: 'CallbackFailed',
        data: { ...identity, tryNumber: 1, failure: { cause }, failedAt: clock.now(), nextTryAt: clock.now() + 15_000 },
      },
    ]);
  });
});

describe('a failure on our side', () => {
  it.each(['overloaded', 'closed'] as const)('does not count as an attempt if the service is %s', async (cause) => {
    const outcome: EgressOutcome = { kind: 'not-sent', cause };
    const { deliver, events, tried } = world(
      () => answers(200),
      () => ({ egress: { send: async () => outcome } }),
    );
    await expect(deliver()).rejects.toThrow(new CallbackNotSent(`a callback was not sent: ${cause}`));
    expect(await events()).toStrictEqual([]);
    expect(tried).toStrictEqual([]);
  });

  it.each([
    ['the vault is unavailable', new Error('the vault is away')],
    ['the fact cannot be found', new FactMissing(order.stream, order.factId)],
  ])('does not count as an attempt and is retried: %s', async (_, fault) => {
    const faults = [fault];
    const factOf: CallbackFacts['factOf'] = (...asked) => {
      const next = faults.pop();
      return next === undefined ? factsOf([order]).factOf(...asked) : Promise.reject(next);
    };
    const { deliver, events, servers } = world(
      () => answers(200),
      () => ({ facts: { factOf } }),
    );
    await expect(deliver()).rejects.toThrow(fault);
    expect(servers.calls).toHaveLength(0);
    expect(await events()).toStrictEqual([]);
    await deliver();
    expect((await events()).map(({ type }) => type)).toStrictEqual(['CallbackDelivered']);
  });

  it('throws if the fact belongs to another merchant (safety, I10)', async () => {
    const { deliver, item, reactor, events, servers } = world(() => answers(200));
    const another = notifiedOrder(2, 'other').fact.merchant;
    await expect(reactor.on({ ...item, merchant: another })).rejects.toThrow("the fact is another merchant's");
    expect(servers.calls).toHaveLength(0);
    await deliver();
    expect(await events()).toHaveLength(1);
  });
});

describe('a fault between the call and its record (safety, P9 to P12)', () => {
  const once = (fault: AppendFault): (() => AppendFault) => {
    const faults: AppendFault[] = [fault];
    return () => faults.pop() ?? 'none';
  };

  it('repeats the call with the same id and bytes after a crash', async () => {
    const { ports, item, events, servers, store } = world(() => answers(200));
    const crashing = failingStore(store, once('refused'));
    await expect(new DeliverCallbackReactor({ ...ports, store: crashing }).on(item)).rejects.toThrow(StoreUnavailable);
    expect(await events()).toStrictEqual([]);
    await new DeliverCallbackReactor(ports).on(item);
    const [first, second] = servers.calls;
    expect(servers.calls).toHaveLength(2);
    const traceparent = expect.any(String) as string;
    expect(second).toStrictEqual({ ...first, headers: { ...first?.headers, traceparent } });
    expect((await events()).map(({ type }) => type)).toStrictEqual(['CallbackDelivered']);
  });

  it("does not repeat the call if the event was stored but the store's response was lost", async () => {
    const { ports, item, events, servers, store, tried } = world(() => answers(200));
    const losing = failingStore(store, once('answer-lost'));
    await new DeliverCallbackReactor({ ...ports, store: losing }).on(item);
    await new DeliverCallbackReactor(ports).on(item);
    expect(servers.calls).toHaveLength(1);
    expect(await events()).toHaveLength(1);
    expect(tried).toHaveLength(1);
  });

  it('reports the last attempt as exhausted once, even if every answer of its append is lost', async () => {
    const { clock, ports, item, deliver, events, store, tried } = world(() => ({ kind: 'down' }));
    for (let tryNumber = 1; tryNumber < 30; tryNumber++) {
      await deliver();
      const newest = (await events()).at(-1);
      if (newest?.type === 'CallbackFailed') clock.jump(newest.data.nextTryAt - clock.now());
    }
    const losing = failingStore(store, () => 'answer-lost');
    await expect(new DeliverCallbackReactor({ ...ports, store: losing }).on(item)).rejects.toThrow(OutcomeUnknown);
    await deliver();
    expect(tried.filter(({ isExhausted }) => isExhausted).map(({ tryNumber }) => tryNumber)).toStrictEqual([30]);
  });

  it('counts concurrent attempts of two workers as one', async () => {
    const { ports, item, events, servers } = world(() => ({ kind: 'hangs' }));
    const clock = ports.clock as VirtualClock;
    const both = Promise.all([
      new DeliverCallbackReactor(ports).on(item),
      new DeliverCallbackReactor({ ...ports, ids: seededIds(2) }).on(item),
    ]);
    await clock.advance(10_000);
    await both;
    expect(servers.calls).toHaveLength(2);
    expect((await events()).map(({ data }) => 'tryNumber' in data && data.tryNumber)).toStrictEqual([1]);
  });
});

describe('the stored events of a callback (safety, section 5.1)', () => {
  it('contain no address, body or key, and neither do errors', async () => {
    const { deliver, store, ports, item } = world((number) => answers(number === 1 ? 500 : 200));
    await deliver();
    (ports.clock as VirtualClock).jump(15_000);
    await deliver();
    const kept: string[] = [];
    for await (const { data, metadata } of store.read(deliveryStream(order.factId, 'callback'))) kept.push(data, metadata);
    const busy = {
      ...ports,
      store: new MemoryEventStore(ports.clock),
      egress: { send: async () => ({ kind: 'not-sent', cause: 'closed' }) as const },
    };
    await new DeliverCallbackReactor(busy).on(item).catch((error: unknown) => kept.push(String(error)));
    expect(kept).toHaveLength(5);
    for (const secret of ['acme.example', 'John Smith', 'control-key-of', 'order-1']) expect(kept.join('\n')).not.toContain(secret);
  });
});

describe('the trace of a callback', () => {
  const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736-01' as CallerTrace;
  const serial = order.fact.correlation.replaceAll('-', '');

  it.each([
    ['is that of the request that led to it', callerTrace, new RegExp('^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$')],
    ['is the serial-number of that request where it brought no trace', undefined, new RegExp(`^00-${serial}-[0-9a-f]{16}-00$`)],
  ])('%s, with a new span per attempt, and is recorded with the result', async (_, trace, traceparent) => {
    const { clock, store, servers, tried, deliver } = world(
      () => answers(500),
      () => ({ facts: { factOf: () => Promise.resolve({ ...order.fact, callerTrace: trace }) } }),
    );
    await deliver();
    await clock.advance(60_000);
    await deliver();
    const sent = servers.calls.map(({ headers }) => headers['traceparent']);
    expect(sent).toStrictEqual([expect.stringMatching(traceparent), expect.stringMatching(traceparent)]);
    expect(new Set(sent).size).toBe(2);
    expect(tried.map((one) => one.callerTrace)).toStrictEqual([trace, trace]);
    for await (const stored of store.read(deliveryStream(order.factId, 'callback'))) expect(metadataOf(stored).callerTrace).toBe(trace);
  });
});
