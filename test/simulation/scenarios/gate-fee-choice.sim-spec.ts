import type { GateAlias } from '@app/kernel';
import type { ChoiceAnswer } from '@app/gateway-adapters/contract';
import { CHOICE_TIMEOUT_MS } from '@app/orders';
import { devicePlan, FEE_A, FEE_CHOICE_MS, GATE_FEE_A, GATE_FEE_B, sampleDeviceOrder, settle } from '@app/testing';
import { DeviceScenario } from './device-scenario';
import { CVV, HOLDER } from './order-scenario';
import { approvedBy, declinedBy } from './scripted-gate';

const SECOND_MS = 1_000;
const SERIAL = '00000000-0000-0000-0000-000000000002';
const choosing = devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS } });
const choosingWithCvv = devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS }, cvvHolder: HOLDER });
const OPTIONS = [GATE_FEE_A, GATE_FEE_B];
const OFFERED = ['OrderAccepted', 'MerchantChecked', 'AttemptStarted', 'GateFeesOffered'];
const never = <Value>(): Promise<Value> => new Promise(() => undefined);

const choose = async (world: DeviceScenario, option: string, process = world.process) =>
  process.chooseFee.choose(await world.contexts.open(world.stream), option as GateAlias, { serial: SERIAL });

const offered = async (onChoice?: () => Promise<ChoiceAnswer>, plan = choosing): Promise<DeviceScenario> => {
  const world = new DeviceScenario();
  world.otherGate.offers(OPTIONS, onChoice);
  world.vault.texts.set('gate-session', 'session-at-the-gate');
  await world.acceptTransfer(sampleDeviceOrder({ plan }));
  if (plan.cvvHolder === undefined) await world.workOrder.work(world.stream);
  else await world.handIn();
  expect(await world.story()).toEqual(OFFERED);
  expect(world.transferred).toEqual([0, 1]);
  return world;
};

describe('the choice of a fee offered by the gate itself', () => {
  it('is sent to the gate once with the session of the offer, and the outcome comes by inquiry', async () => {
    const world = await offered();
    world.otherGate.onInquiry = (key) => Promise.resolve({ ...approvedBy(key), commission: GATE_FEE_B.commission });
    expect(await choose(world, 'up-b')).toMatchObject({ kind: 'chosen' });
    const [told, ...again] = world.otherGate.choices;
    expect(again).toEqual([]);
    expect([told?.option, told?.session.reveal(), told?.key]).toEqual(['up-b', 'session-at-the-gate', world.otherGate.transfers[0]?.key]);
    expect(await world.story()).toEqual([...OFFERED, 'GateFeeChosen']);
    await world.clock.advance(SECOND_MS);
    await world.workOrder.work(world.stream);
    await settle(10);
    expect(await world.story()).toEqual([...OFFERED, 'GateFeeChosen', 'AttemptApproved', 'CardsMapped', 'OrderApproved']);
    expect(world.transferred).toEqual([0, 1]);
  });

  it("seals the session of the gate's offer", async () => {
    const world = await offered();
    const stored = await world.stored();
    expect(stored.map(({ data }) => data).join()).not.toContain('session-at-the-gate');
  });

  it('needs no CVV, because the gate already has it', async () => {
    const world = await offered(undefined, choosingWithCvv);
    expect([world.process.cvvQueue.held, world.otherGate.transfers[0]?.cvv]).toEqual([0, CVV]);
    world.holderDies();
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.story()).toEqual(OFFERED);
    expect(await choose(world, 'up-a', world.newProcess())).toMatchObject({ kind: 'chosen' });
    expect(world.otherGate.choices).toHaveLength(1);
  });

  it('is offered only if no gate of the order quotes a fee', async () => {
    const world = new DeviceScenario();
    world.gate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: FEE_A.commission });
    world.otherGate.offers(OPTIONS);
    await world.acceptTransfer(sampleDeviceOrder({ plan: choosing }));
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'FeesOffered']);
    expect(world.transferred).toEqual([0, 0]);
  });

  it('is recorded and sent once for ten simultaneous requests', async () => {
    const world = await offered();
    const choosers = Array.from({ length: 10 }, (_, number) => choose(world, number % 2 === 0 ? 'up-a' : 'up-b', world.newProcess()));
    const choices = await world.whileTimePasses(Promise.all(choosers));
    expect(choices.filter(({ kind }) => kind === 'chosen')).toHaveLength(1);
    expect(world.otherGate.choices).toHaveLength(1);
    expect((await world.story()).filter((type) => type === 'GateFeeChosen')).toHaveLength(1);
  });

  it.each<[string, () => Promise<ChoiceAnswer>]>([
    ['is silent', never],
    ['fails', () => Promise.reject(new Error('adapter'))],
    ['was not asked', () => Promise.resolve({ kind: 'not-asked', cause: 'unavailable' })],
    ['does not know the outcome', () => Promise.resolve({ kind: 'unknown', cause: 'connection-lost' })],
  ])('is not resent if the gate %s: an inquiry decides', async (_, onChoice) => {
    const world = await offered(onChoice);
    const chosen = choose(world, 'up-b');
    await settle(10);
    await world.clock.advance(CHOICE_TIMEOUT_MS);
    expect(await chosen).toMatchObject({ kind: 'chosen' });
    world.otherGate.onInquiry = () => Promise.resolve({ kind: 'not-found' });
    await world.clock.advance(600 * SECOND_MS);
    await world.newProcess().workOrder.work(world.stream);
    expect((await world.story()).at(-1)).toBe('AttemptUnknown');
    world.otherGate.onInquiry = (key) => Promise.resolve(declinedBy(key, 110));
    await world.newProcess().workOrder.work(world.stream);
    expect(await world.lastData()).toMatchObject({ code: 110 });
    expect(world.otherGate.choices).toHaveLength(1);
    expect(world.transferred).toEqual([0, 1]);
  });

  it('is not sent if recording its claim took too long, and the gate is inquired instead', async () => {
    const world = await offered();
    const { clock } = world;
    const slow = world.newProcess();
    const open = await slow.contexts.open(world.stream);
    const claim = open.claim.bind(open);
    const held = {
      ...open,
      claim: async (...claimed: Parameters<typeof claim>) => {
        const result = await claim(...claimed);
        await clock.advance(2_001);
        return result;
      },
    };
    expect(await slow.chooseFee.choose(held, 'up-b' as GateAlias, { serial: SERIAL })).toMatchObject({ kind: 'chosen' });
    expect(await world.story()).toEqual([...OFFERED, 'GateFeeChosen']);
    expect(world.otherGate.choices).toEqual([]);
  });

  it('declines the order with 110 if not made in time and an inquiry finds no outcome', async () => {
    const world = await offered();
    await expect(world.workOrder.work(world.stream)).resolves.toBe(world.clock.now() + 60_000);
    expect(world.otherGate.inquiries).toEqual([]);
    world.otherGate.onInquiry = () => Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    await world.clock.advance(FEE_CHOICE_MS);
    await world.workOrder.work(world.stream);
    expect(world.otherGate.inquiries).toHaveLength(1);
    expect(await world.lastData()).toMatchObject({ code: 110 });
    expect(await choose(world, 'up-b')).toEqual({ kind: 'refused', reason: 'order-final' });
    expect(world.otherGate.choices).toEqual([]);
  });

  it("is overridden by the gate's result if not made in time and the gate ended the attempt", async () => {
    const world = await offered();
    world.otherGate.onInquiry = (key) => Promise.resolve(declinedBy(key, 116));
    await world.clock.advance(FEE_CHOICE_MS);
    await world.workOrder.work(world.stream);
    expect(await world.lastData()).toMatchObject({ code: 116 });
  });

  it.each([
    ['no options', []],
    ['a name that no path carries', [{ ...GATE_FEE_A, option: 'status' }]],
    ['a name twice', [GATE_FEE_A, GATE_FEE_A]],
    ['a negative commission', [{ ...GATE_FEE_A, commission: { ...GATE_FEE_A.commission, minor: -1n } }]],
  ])('is not offered if the gate returns %s, and the outcome is unknown', async (_, options) => {
    const world = new DeviceScenario();
    world.otherGate.offers(options);
    await world.acceptTransfer(sampleDeviceOrder({ plan: choosing }));
    await world.workOrder.work(world.stream);
    expect(await world.story()).toEqual(['OrderAccepted', 'MerchantChecked', 'AttemptStarted', 'AttemptUnknown']);
  });

  it('leaves the order unchanged if the vault is away', async () => {
    const world = await offered();
    world.vault.state = 'away';
    await expect(choose(world, 'up-b')).rejects.toThrow('away');
    world.vault.state = 'open';
    expect(await world.story()).toEqual(OFFERED);
    expect(await choose(world, 'up-b')).toMatchObject({ kind: 'chosen' });
    expect(world.otherGate.choices).toHaveLength(1);
  });
});
