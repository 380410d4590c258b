import { createHmac } from 'node:crypto';
import { configurationFrom, LiveConfiguration, type Configuration } from '@app/configuration';
import type { OrderSealer } from '@app/card-vault';
import { FOLLOWED_EVERY_MS, OutcomeUnknown } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { systemIds } from '@app/kernel';
import { settle, VirtualClock } from '@app/testing';
import { actingAlone } from './operator-access';
import { sectionDigest, type WhatIfJson } from './what-ifs';
import { ConfigurationService } from './configuration.service';

const SECRET = '00112233-4455-6677-8899-AABBCCDDEEFF';
const file = (maxAmount = '10.00', more: object = {}): string =>
  JSON.stringify({
    merchants: [{ login: 'acme', controlKey: SECRET, endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'], maxAmount }] }],
    gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'] }],
    ...more,
  });
const read = (text: string): Configuration =>
  configurationFrom(text, { source: 'file', folder: '/', environment: {}, adapters: GATE_ADAPTERS });
const digests = {
  onceKey: (kind: string, parts: readonly string[]) =>
    createHmac('sha256', 'key')
      .update(JSON.stringify([kind, ...parts]))
      .digest('hex'),
};
const sealer = { takeKey: async () => ({ seal: () => 'v1.AAAAAAAAAAAAAAAAAAAA.c2VhbGVk' }) } as unknown as OrderSealer;
const KIM = actingAlone({ name: 'kim', role: 'admin', tokenSha256: '' });
const REASON = { reason: 'a new limit' };

const setUp = (whatIfs = new Map<string, WhatIfJson>()) => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
  const errors: unknown[] = [];
  const outcomes: string[] = [];
  const process = async (bootId: string, disk = { text: file() }) => {
    const live = new LiveConfiguration(read(disk.text));
    let taken = 0;
    const kept: string[] = [];
    const start = async () => {
      const service = new ConfigurationService({
        live,
        load: () => read(disk.text),
        store,
        sealer,
        digests,
        clock,
        ids: systemIds,
        scheduler: clock,
        bootId,
        audit: { begin: async () => 'a-1', end: async (_by, _id, outcome) => void outcomes.push(outcome) },
        questions: { answered: async () => undefined },
        whatIfs: { find: async (id) => whatIfs.get(id) },
        onTaken: () => (taken += 1),
        onKept: (why) => kept.push(why),
        onError: (error) => errors.push(error),
      });
      await service.start();
      return service;
    };
    const max = () => live.view.accounts.merchants[0].endpoints[0].maxAmountMinor;
    return { live, disk, max, taken: () => taken, kept, service: await start(), start };
  };
  const poll = async () => {
    await clock.advance(FOLLOWED_EVERY_MS);
    await settle();
  };
  return { clock, store, errors, outcomes, process, poll };
};

describe('ConfigurationService', () => {
  it('lets every process take its own file after one apply, and reports each', async () => {
    const { process, poll, outcomes } = setUp();
    const [one, other] = [await process('one'), await process('other')];
    for (const { disk } of [one, other]) disk.text = file('20.00');
    await poll();
    expect([one.max(), other.max()]).toStrictEqual([1_000n, 1_000n]);
    expect(await one.service.apply(REASON, KIM)).toMatchObject({ reason: 'applied' });
    expect([one.max(), other.max()]).toStrictEqual([2_000n, 1_000n]);
    expect(other.service.differs).toBe(false);
    await poll();
    await poll();
    expect([one.max(), other.max(), one.taken(), other.taken()]).toStrictEqual([2_000n, 2_000n, 1, 1]);
    const { digest, applied, processes } = one.service.status();
    expect(applied?.digest).toBe(digest);
    expect(processes).toMatchObject([
      { process: 'one', digest, outcome: 'taken', why: null },
      { process: 'other', digest, outcome: 'taken', why: null },
    ]);
    expect(await one.service.apply(REASON, KIM)).toMatchObject({ reason: 'in-force' });
    expect(outcomes).toStrictEqual(['done', 'refused']);
  });

  it('shows the changes of the file by name, without a secret', async () => {
    const { process } = setUp();
    const { service, disk } = await process('one');
    disk.text = file('20.00').replace(SECRET, 'FF112233-4455-6677-8899-AABBCCDDEEFF');
    const checked = await service.check(KIM);
    expect(checked.changes).toStrictEqual([
      {
        field: 'accounts.merchants.acme.controlKey.keyId',
        before: expect.stringMatching(/^[a-p]{16}$/),
        after: expect.stringMatching(/^[a-p]{16}$/),
      },
      { field: 'accounts.merchants.acme.endpoints.1001.maxAmountMinor', before: '1000', after: '2000' },
    ]);
    expect(JSON.stringify(checked)).not.toMatch(/112233/);
  });

  it.each<[string, string, object]>([
    ['the file has a fault', file('-1'), { reason: 'faulty' }],
    ['the file cannot be parsed', '{', { reason: 'faulty' }],
    [
      'the change needs a restart',
      file('20.00', { pathPrefix: '/other' }),
      { reason: 'needs-restart', checked: { needsRestart: [expect.stringContaining('pathPrefix: needs a restart')] } },
    ],
  ])('applies nothing if %s', async (_, text, expected) => {
    const { process } = setUp();
    const { service, disk, live } = await process('one');
    const before = live.current;
    disk.text = text;
    expect(await service.apply(REASON, KIM)).toMatchObject(expected);
    expect([live.current === before, service.status().applied]).toStrictEqual([true, null]);
  });

  it('applies nothing if the file changed after the check', async () => {
    const { process } = setUp();
    const { service, disk } = await process('one');
    disk.text = file('20.00');
    const { digest = '' } = await service.check(KIM);
    disk.text = file('30.00');
    expect(await service.apply({ ...REASON, digest }, KIM)).toMatchObject({ reason: 'file-changed' });
    expect(service.status().applied).toBeNull();
  });

  it('records a finished what-if with the rules of the file as the reason, and shows what it expected', async () => {
    const routed = (gates: readonly string[]) =>
      file('10.00', {
        gates: ['sim-a', 'sim-b'].map((alias) => ({ alias, adapter: 'simulator', currencies: ['USD'] })),
      }).replace('["sim-a"]', JSON.stringify(gates));
    const ends = [{ outcome: 'approved', gate: 'sim-b', was: 0, would: 7 }];
    const endpoints = [{ merchant: 'acme', endpointId: '1001', gates: sectionDigest(['sim-b']), screening: null, routing: null }];
    const done = { whatIfId: 'w', state: 'done', from: null, before: null, endpoints, result: { ends } } as unknown as WhatIfJson;
    const known = new Map<string, WhatIfJson>([
      ['w-done', { ...done, whatIfId: 'w-done' }],
      ['w-stopped', { ...done, state: 'stopped' }],
    ]);
    const { process } = setUp(known);
    const { service, disk } = await process('one', { text: routed(['sim-a']) });
    disk.text = routed(['sim-b']);
    expect(await service.apply({ ...REASON, whatIf: 'w-other' }, KIM)).toMatchObject({ reason: 'unknown-what-if' });
    expect(await service.apply({ ...REASON, whatIf: 'w-stopped' }, KIM)).toMatchObject({ reason: 'unfinished-what-if' });
    disk.text = routed(['sim-b', 'sim-a']);
    expect(await service.apply({ ...REASON, whatIf: 'w-done' }, KIM)).toMatchObject({ reason: 'what-if-of-other-rules' });
    expect(await service.forecast()).toBeUndefined();
    disk.text = routed(['sim-b']);
    expect(await service.apply({ ...REASON, whatIf: 'w-done' }, KIM)).toMatchObject({ reason: 'applied' });
    const first = await service.forecast();
    expect(first).toMatchObject({ digest: service.digest, replacedAt: null, whatIfId: 'w-done', expected: { ends } });
    disk.text = routed(['sim-a']);
    await service.apply(REASON, KIM);
    expect(await service.forecast(first?.digest)).toStrictEqual({ ...first, replacedAt: first?.appliedAt });
    expect(await service.forecast(service.digest)).toBeUndefined();
  });

  it('keeps the former one in a process whose file differs, reports it, and takes it once the file arrives', async () => {
    const { process, poll } = setUp();
    const [one, late] = [await process('one'), await process('late')];
    one.disk.text = file('20.00');
    await one.service.apply(REASON, KIM);
    await poll();
    await poll();
    expect([late.max(), late.service.differs]).toStrictEqual([1_000n, true]);
    // Told once, however often the file is tried.
    expect(late.kept).toStrictEqual(['the file of this process is not the applied one']);
    expect(one.service.status().processes).toMatchObject([
      { process: 'one' },
      { process: 'late', outcome: 'kept', why: 'the file of this process is not the applied one' },
    ]);
    late.disk.text = file('20.00');
    await poll();
    await poll();
    expect([late.max(), late.service.differs]).toStrictEqual([2_000n, false]);
    expect(one.service.status().processes.map(({ outcome }) => outcome)).toStrictEqual(['taken', 'taken']);
  });

  it('reads a large file that is not the applied one rarely, and at once after the next apply', async () => {
    const { process, poll, clock } = setUp();
    const [one, late] = [await process('one'), await process('late')];
    let reads = 0;
    let text = file();
    Object.defineProperty(late.disk, 'text', {
      get: () => {
        reads += 1;
        clock.jump(3_000);
        return text;
      },
    });
    one.disk.text = file('20.00');
    await one.service.apply(REASON, KIM);
    for (let polled = 0; polled < 10; polled++) await poll();
    expect(reads).toBe(1);
    text = one.disk.text = file('30.00');
    await one.service.apply(REASON, KIM);
    await poll();
    expect([reads, late.max()]).toStrictEqual([2, 3_000n]);
  });

  it('keeps the former one whole if a part cannot take it, while other processes take it', async () => {
    const { process, poll, errors } = setUp();
    const [one, broken] = [await process('one'), await process('broken')];
    broken.live.onChange(() => {
      throw new Error('no room');
    });
    for (const { disk } of [one, broken]) disk.text = file('20.00');
    await one.service.apply(REASON, KIM);
    await poll();
    await poll();
    expect([one.max(), broken.max(), broken.taken()]).toStrictEqual([2_000n, 1_000n, 0]);
    expect(one.service.status().processes[1]).toMatchObject({
      process: 'broken',
      outcome: 'kept',
      why: 'a part of this process cannot take it; its log has the cause',
    });
    expect(errors).toContainEqual(new Error('no room'));
  });

  it('lets the later of two applies win in every process', async () => {
    const { process, poll } = setUp();
    const [one, other] = [await process('one'), await process('other')];
    one.disk.text = file('20.00');
    other.disk.text = file('30.00');
    await Promise.all([one.service.apply(REASON, KIM), other.service.apply(REASON, KIM)]);
    const last = one.service.status().applied?.digest ?? other.service.status().applied?.digest;
    for (const { disk } of [one, other]) disk.text = file('30.00');
    await one.service.apply(REASON, KIM);
    await poll();
    await poll();
    expect([last !== undefined, one.max(), other.max()]).toStrictEqual([true, 3_000n, 3_000n]);
    expect(one.service.differs || other.service.differs).toBe(false);
  });

  it('reads the file at a restart as ever, and takes no later change of the file without an apply', async () => {
    const { process, poll } = setUp();
    const one = await process('one');
    one.disk.text = file('20.00');
    await one.service.apply(REASON, KIM);
    one.disk.text = file('30.00');
    const restarted = await process('two', one.disk);
    expect([restarted.max(), restarted.service.differs]).toStrictEqual([3_000n, true]);
    one.disk.text = file('20.00');
    await poll();
    expect(restarted.max()).toBe(3_000n);
  });

  it('follows an apply of the moment at which a process starts', async () => {
    const { process } = setUp();
    const [one, starting] = [await process('one'), await process('starting')];
    for (const { disk } of [one, starting]) disk.text = file('20.00');
    await one.service.apply(REASON, KIM);
    // The process read its file before the change, and the events after it.
    starting.service.stop();
    await starting.start();
    expect(starting.max()).toBe(2_000n);
  });

  it('follows later if the store is away, and is not applied if the event cannot be stored', async () => {
    const { process, poll, store, outcomes } = setUp();
    const [one, other] = [await process('one'), await process('other')];
    for (const { disk } of [one, other]) disk.text = file('20.00');
    store.isAway = true;
    await expect(one.service.apply(REASON, KIM)).rejects.toThrow('away');
    expect([one.max(), outcomes]).toStrictEqual([1_000n, ['failed']]);
    store.isAway = false;
    await one.service.apply(REASON, KIM);
    store.isAway = true;
    await poll();
    store.isAway = false;
    await poll();
    expect(other.max()).toBe(2_000n);
  });

  it('has an unknown outcome if the event is stored and cannot be read back, and is followed later', async () => {
    const { process, poll, store, outcomes } = setUp();
    const one = await process('one');
    one.disk.text = file('20.00');
    store.stumble({ kind: 'rival', write: async () => void (store.isAway = true) });
    await expect(one.service.apply(REASON, KIM)).rejects.toThrow(OutcomeUnknown);
    expect([one.max(), outcomes]).toStrictEqual([1_000n, ['unknown']]);
    store.isAway = false;
    await poll();
    expect(one.max()).toBe(2_000n);
  });
});
