import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import type { GateAlias, MerchantLogin } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { requestEnvelope } from '../acceptance/accept-order';
import { routingCodec, routingStream } from '../../events/routing.codec';
import { type NamedRouting, RoutingRulesRepository } from './routing-rules-repository';

const VERSION = 'routing0of0the0sample';
const routing: NamedRouting = {
  version: VERSION,
  rules: [{ name: 'all', when: { amountFromMinor: 100n }, choice: { kind: 'cascade', gates: ['sim-a' as GateAlias] } }],
};

const setUp = () => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
  const envelope = (serial: string) => requestEnvelope('acme' as MerchantLogin, { serial }, clock.now());
  const recorded = async () => {
    const found: unknown[] = [];
    for await (const stored of store.read(routingStream(VERSION))) found.push(routingCodec.decode(stored).data.rules);
    return found;
  };
  return { store, envelope, recorded, newRepository: () => new RoutingRulesRepository(store, clock) };
};

describe('RoutingRulesRepository', () => {
  it('records rules once in a process and does not access the store again', async () => {
    const { store, newRepository, envelope, recorded } = setUp();
    const repository = newRepository();
    await repository.record(routing, envelope('s-1'));
    await repository.record(routing, envelope('s-2'));
    expect(store.appends).toBe(1);
    expect(await recorded()).toStrictEqual([routing.rules]);
  });

  it('records one entry for each version if many processes record concurrently', async () => {
    const { newRepository, envelope, recorded } = setUp();
    await Promise.all(Array.from({ length: 20 }, (_, index) => newRepository().record(routing, envelope(`s-${index}`))));
    expect(await recorded()).toHaveLength(1);
  });

  it('records the rules again after a failed append', async () => {
    const { store, newRepository, envelope, recorded } = setUp();
    const repository = newRepository();
    store.isAway = true;
    await expect(repository.record(routing, envelope('s-1'))).rejects.toThrow();
    store.isAway = false;
    expect(await recorded()).toStrictEqual([]);
    await repository.record(routing, envelope('s-1'));
    expect(await recorded()).toHaveLength(1);
  });
});
