import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { requestEnvelope, screeningCodec, screeningStream, preparedRules } from '@app/orders';
import { screen, type ConfiguredRules } from '@app/orders/domain';
import { RULES_VERSION } from '@app/testing';
import { CVV, HOLDER, OrderScenario } from './order-scenario';

const RULES: ConfiguredRules = {
  blockedBins: [],
  blockedCountries: [],
  blockedIps: [],
  perCard: { count: 0, hours: 24 },
  perIp: { count: 0, hours: 1 },
};

const worldWith = async (rules: Partial<ConfiguredRules>): Promise<OrderScenario> => {
  const world = new OrderScenario();
  world.vault.texts.set('customer', { holder: 'JOHN SMITH', country: 'KP' });
  world.vault.texts.set('details', { description: 'shoes', ipAddress: '203.0.113.7' });
  const envelope = requestEnvelope('acme' as MerchantLogin, { serial: 'serial' }, world.clock.now());
  await world.process.rules.record({ version: RULES_VERSION, configured: { ...RULES, ...rules } }, envelope);
  return world;
};
const PASSED = ['OrderAccepted', 'OrderScreened', 'AttemptStarted', 'AttemptApproved', 'OrderApproved'];
const FILTERED = ['OrderAccepted', 'OrderScreened', 'OrderFiltered'];

describe('an order at an entry point with screening rules', () => {
  it.each<[string, Partial<ConfiguredRules>, string[]]>([
    ['amount', { minAmountMinor: 1_043n }, FILTERED],
    ['amount within', { minAmountMinor: 1_042n, maxAmountMinor: 1_042n }, PASSED],
    ['number range, in eight digits', { blockedBins: ['44443333'] }, FILTERED],
    ['number range of another', { blockedBins: ['44443334'] }, PASSED],
    ['country of the payer', { blockedCountries: ['PRK'] }, FILTERED],
    ['country of another', { blockedCountries: ['US'] }, PASSED],
    ['address', { blockedIps: ['203.0.113.0/24'] }, FILTERED],
    ['address of another', { blockedIps: ['203.0.112.0/24'] }, PASSED],
  ])('is screened before any gate is asked: %s [W263]', async (_, rules, story) => {
    const world = await worldWith(rules);
    await world.accept({ screening: RULES_VERSION });
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(story);
    expect(world.gate.charges).toHaveLength(story === PASSED ? 1 : 0);
    if (story === FILTERED) expect(await world.lastData()).toMatchObject({ code: 120 });
  });

  it('causes no additional reads or writes without rules', async () => {
    const world = new OrderScenario();
    await world.accept();
    const { appends, reads } = world.store;
    await world.workOrder.work(world.stream);
    expect([world.store.appends - appends, world.store.reads - reads]).toEqual([2, 1]);
    expect(await world.story()).not.toContain('OrderScreened');
  });

  it('is screened by the process that holds its CVV', async () => {
    const world = await worldWith({ blockedIps: ['203.0.113.7'] });
    await world.accept({ screening: RULES_VERSION, cvvHolder: HOLDER });
    world.cvvQueue.submitSoon({ lane: 'acme/sim-a', stream: world.stream, cvv: CVV });
    await world.cvvQueue.drained();
    expect(await world.story()).toEqual(FILTERED);
    expect(world.cvvQueue.held).toBe(0);
  });

  it('waits while its texts cannot be opened, because it must not be charged without screening', async () => {
    const world = await worldWith({ blockedCountries: ['US'] });
    await world.accept({ screening: RULES_VERSION });
    world.vault.state = 'away';
    await expect(world.workOrder.work(world.stream)).rejects.toThrow('away');
    expect(await world.story()).toEqual(['OrderAccepted']);
    world.vault.state = 'open';
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(PASSED);
  });

  it('is not checked for its amount if it is an account verification', async () => {
    const world = await worldWith({ minAmountMinor: 1_043n });
    await world.accept({ screening: RULES_VERSION, operation: 'account-verification' });
    await world.workOrder.work(world.stream);
    expect((await world.story()).slice(0, 3)).toEqual(['OrderAccepted', 'OrderScreened', 'AttemptStarted']);
  });

  it("passes exactly as often as its card's limit allows, over all processes (safety, T35)", async () => {
    const world = await worldWith({ perCard: { count: 3, hours: 24 }, perIp: { count: 5, hours: 1 } });
    const streams = await Promise.all(
      Array.from({ length: 40 }, (_, number) => world.accept({ screening: RULES_VERSION }, `inv-${number}` as ClientOrderId)),
    );
    const workers = [world, world.newProcess(), world.newProcess()];
    await Promise.all(streams.map((stream, index) => (workers[index % 3] ?? world).workOrder.work(stream)));
    expect(world.gate.charges).toHaveLength(3);
  });

  it('is counted once if its worker died between counting and starting', async () => {
    const world = await worldWith({ perCard: { count: 1, hours: 24 } });
    await world.accept({ screening: RULES_VERSION });
    const append = world.store.append.bind(world.store);
    world.store.append = (stream, expected, events) =>
      events[0].type === 'OrderScreened' ? new Promise(() => undefined) : append(stream, expected, events);
    void world.workOrder.work(world.stream);
    await world.clock.advance(0);
    world.store.append = append;
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(PASSED);
  });

  it('keeps address, country and card number out of the log, from which its result can be decided again', async () => {
    const world = await worldWith({ perCard: { count: 1, hours: 24 }, perIp: { count: 1, hours: 1 } });
    await world.accept({ screening: RULES_VERSION });
    await world.workOrder.work(world.stream);
    const again = await world.accept({ screening: RULES_VERSION }, 'inv-2' as ClientOrderId);
    await world.workOrder.work(again);
    const whole: string[] = [];
    for (const stream of [world.stream, again, screeningStream(RULES_VERSION)]) {
      for await (const { data, metadata } of world.store.read(stream)) whole.push(data + metadata);
    }
    expect(whole.join('\n')).not.toMatch(/203\.0\.113\.7|"KP"|"PRK"|4444333322221111/);

    const rules: ConfiguredRules[] = [];
    for await (const stored of world.store.read(screeningStream(RULES_VERSION))) rules.push(screeningCodec.decode(stored).data);
    const screened: { cardCount: number; ipCount?: number; brokenRule?: string }[] = [];
    for await (const { type, data } of world.store.read(again)) if (type === 'OrderScreened') screened.push(JSON.parse(data) as never);
    expect(screened).toMatchObject([{ cardCount: 1, brokenRule: 'per-card' }]);
    const inputs = { amounts: [], leadingDigits: '', customerCountry: undefined, issuerCountry: undefined, ip: undefined };
    const [recorded] = rules;
    if (recorded === undefined) throw new Error('no rules');
    expect(screen(preparedRules(recorded), { ...inputs, cardCount: 1, ipCount: 0 })).toBe('per-card');
  });
});
