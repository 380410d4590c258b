import type { CardRefId, GateAlias, MerchantLogin } from '@app/kernel';
import { load, type StreamName } from '@app/event-store';
import { requestEnvelope } from '@app/orders';
import type { AcceptedOrder, CardAtGates } from '@app/orders/domain';
import { recurringCodec, recurringContext, recurringStream } from '@app/recurring';
import { RULES_VERSION, sampleOrder } from '@app/testing';
import { GATES, OrderScenario } from './order-scenario';

const OF_FIRST = { gate: 'sim-a' as GateAlias, token: '1402817' };
const OF_OTHER = { gate: 'sim-b' as GateAlias, token: '77' };
const NETWORK = 'MCC1234567890615';
const NO_RULES = {
  blockedCountries: [],
  blockedIps: [],
  perCard: { count: 0, hours: 24 },
  perIp: { count: 0, hours: 1 },
};

class RecurrentScenario extends OrderScenario {
  readonly recurrent: StreamName = recurringStream(sampleOrder().merchant, sampleOrder().clientOrderId);
  opened = 0;

  constructor() {
    super();
    const open = this.vault.open.bind(this.vault);
    this.vault.open = () => {
      this.opened += 1;
      return open();
    };
  }

  async charge(atGates: CardAtGates | undefined, plan: Partial<AcceptedOrder['plan']> = {}): Promise<void> {
    const order = sampleOrder({ acceptedAt: this.clock.now() });
    const envelope = requestEnvelope(order.merchant, { serial: '00000000-0000-0000-0000-000000000001' }, this.clock.now());
    const data = { ...order, plan: { ...order.plan, ...plan }, cardRefId: 'csample0reference00c' as CardRefId, marks: {} };
    const accepted = { type: 'OrderAccepted' as const, data: { ...data, ...(atGates && { atGates }) } };
    await this.store.append(this.recurrent, 'no_stream', recurringCodec.encode([accepted], this.recurrent, 'no_stream', envelope));
    await this.workOrder.work(this.recurrent);
  }

  async outcome() {
    const chargedBy: unknown[] = [];
    for await (const { type, data } of this.store.read(this.recurrent)) {
      if (type === 'AttemptStarted') chargedBy.push((JSON.parse(data) as { chargedBy?: string }).chargedBy ?? 'card');
    }
    const { state } = await load(this.store, this.recurrent, recurringContext.decider, recurringCodec);
    return { end: state.status === 'none' ? undefined : state.processing.end?.type, chargedBy, opened: this.opened };
  }
}

let world: RecurrentScenario;
beforeEach(() => (world = new RecurrentScenario()));

describe('a charge of a registered card', () => {
  it("sends the gate's own token without opening the card in the vault", async () => {
    world.gate.takesInPlaceOfCards('token');
    await world.charge({ tokens: [OF_FIRST] });
    expect(await world.outcome()).toStrictEqual({ end: 'OrderApproved', chargedBy: ['token'], opened: 0 });
    expect(world.gate.rebills).toMatchObject([
      { transactionType: 'sale', by: { kind: 'token', token: '1402817' }, amount: { minor: 1_042n } },
    ]);
    expect(world.gate.rebills[0]).not.toHaveProperty('card');
    expect(world.gate.rebills[0]).not.toHaveProperty('payerReturnUrl');
    expect(world.charged).toEqual([0, 0]);
  });

  it('succeeds after the card was shredded only at a gate with a token', async () => {
    world.vault.state = 'erased';
    world.gate.takesInPlaceOfCards('token');
    await world.charge({ tokens: [OF_FIRST] });
    expect(await world.outcome()).toMatchObject({ end: 'OrderApproved', chargedBy: ['token'] });

    world = new RecurrentScenario();
    world.vault.state = 'erased';
    await world.charge(undefined);
    expect(await world.outcome()).toMatchObject({ end: 'OrderFailed', chargedBy: ['card'] });
    expect(world.charged).toEqual([0, 0]);
  });

  it("sends the scheme's transaction id to a gate that accepts it, but prefers the gate's token", async () => {
    world.gate.takesInPlaceOfCards('token', 'network-transaction');
    await world.charge({ tokens: [OF_OTHER], networkTransactionId: NETWORK });
    expect(await world.outcome()).toStrictEqual({ end: 'OrderApproved', chargedBy: ['network-transaction'], opened: 0 });
    expect(world.gate.rebills).toMatchObject([{ by: { kind: 'network-transaction', networkTransactionId: NETWORK } }]);

    world = new RecurrentScenario();
    world.gate.takesInPlaceOfCards('token', 'network-transaction');
    await world.charge({ tokens: [OF_FIRST], networkTransactionId: NETWORK });
    expect(await world.outcome()).toMatchObject({ chargedBy: ['token'] });
  });

  it('sends the card from the vault to a gate that needs it or has no token yet', async () => {
    await world.charge({ tokens: [OF_FIRST], networkTransactionId: NETWORK });
    expect(await world.outcome()).toStrictEqual({ end: 'OrderApproved', chargedBy: ['card'], opened: 1 });
    expect(world.gate.charges[0]?.card.reveal().number).toBe('4444333322221111');

    world = new RecurrentScenario();
    world.gate.takesInPlaceOfCards('token');
    await world.charge({ tokens: [OF_OTHER] });
    expect(await world.outcome()).toStrictEqual({ end: 'OrderApproved', chargedBy: ['card'], opened: 1 });
  });

  it('may use the card at one gate and a token at the next gate of its cascade', async () => {
    world.gate.onCharge = () => Promise.resolve({ kind: 'not-asked', cause: 'unavailable' });
    world.otherGate.takesInPlaceOfCards('token');
    await world.charge({ tokens: [OF_OTHER] }, { gates: [...GATES] });
    await world.workOrder.work(world.recurrent);
    expect(await world.outcome()).toStrictEqual({ end: 'OrderApproved', chargedBy: ['card', 'token'], opened: 1 });
    expect(world.otherGate.rebills).toMatchObject([{ by: { token: '77' } }]);
  });

  it('continues at the next gate if the first accepts no card and has no token, or refuses the token', async () => {
    world.gate.takesInPlaceOfCards('token');
    world.gate.takesNoCards();
    await world.charge({ tokens: [OF_OTHER] }, { gates: [...GATES] });
    await world.workOrder.work(world.recurrent);
    expect(await world.outcome()).toStrictEqual({ end: 'OrderApproved', chargedBy: ['card', 'card'], opened: 1 });
    expect(world.gate.rebills).toHaveLength(0);

    world = new RecurrentScenario();
    world.gate.takesInPlaceOfCards('token');
    world.gate.onRebill = () => Promise.resolve({ kind: 'not-asked', cause: 'refused-by-gate' });
    await world.charge({ tokens: [OF_FIRST] }, { gates: [...GATES] });
    await world.workOrder.work(world.recurrent);
    expect(await world.outcome()).toMatchObject({ end: 'OrderApproved', chargedBy: ['token', 'card'] });
  });

  it('is inquired and not resent if the gate did not respond', async () => {
    world.gate.takesInPlaceOfCards('token');
    world.gate.onRebill = () => Promise.resolve({ kind: 'unknown', cause: 'timeout' });
    await world.charge({ tokens: [OF_FIRST] });
    await world.clock.advance(1_000);
    await world.workOrder.work(world.recurrent);
    expect(world.gate.rebills).toHaveLength(1);
    expect(world.gate.inquiries).toEqual([world.gate.rebills[0]?.key]);
  });
});

describe('the screening of a charge by token', () => {
  const screenedBy = async (blockedBins: readonly string[]): Promise<void> => {
    const envelope = requestEnvelope('acme' as MerchantLogin, { serial: 'serial' }, world.clock.now());
    await world.process.rules.record({ version: RULES_VERSION, configured: { ...NO_RULES, blockedBins } }, envelope);
    world.gate.takesInPlaceOfCards('token');
    await world.charge({ tokens: [OF_FIRST] }, { screening: RULES_VERSION });
  };

  it('does not open the card if no rule needs more digits than are shown', async () => {
    await screenedBy(['444433']);
    expect(await world.outcome()).toMatchObject({ end: 'OrderApproved', opened: 0 });
  });

  it('opens the card if a rule needs more digits, so that the rule still applies', async () => {
    await screenedBy(['44443333']);
    expect(await world.outcome()).toMatchObject({ end: 'OrderFiltered', opened: 1 });
    expect(world.gate.rebills).toHaveLength(0);
  });
});
