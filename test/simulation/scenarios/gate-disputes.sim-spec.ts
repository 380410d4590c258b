import type { AttemptKey, GateAlias } from '@app/kernel';
import type { DisputeChange, GateReport, InboundRequest } from '@app/gateway-adapters/contract';
import { OTHER_KEY, settle } from '@app/testing';
import { OrderScenario } from './order-scenario';
import { timedOut } from './scripted-gate';

const SIM = 'sim-a' as GateAlias;
const OTHER_GATE = 'sim-b' as GateAlias;
const REQUEST: InboundRequest = {
  method: 'POST',
  path: [],
  query: new Map(),
  rawQuery: '',
  headers: new Map(),
  contentType: 'application/json',
  body: '{}',
};

class DisputedScenario extends OrderScenario {
  reports: readonly GateReport[] = [];
  key = '' as AttemptKey;

  constructor() {
    super();
    const listen = () => Promise.resolve({ reply: { status: 200 }, reports: this.reports });
    this.gate.listening = { listen };
    this.otherGate.listening = { listen };
  }

  static async approved(): Promise<DisputedScenario> {
    const world = new DisputedScenario();
    await world.accept();
    await world.workOrder.work(world.stream);
    world.key = world.gate.charges[0]?.key ?? world.key;
    return world;
  }

  async told(news: DisputeChange, { process = this.process, gate = SIM, key = this.key, address = this.key } = {}): Promise<void> {
    this.reports = [{ kind: 'dispute', key, news }];
    await process.hearing.hear({ gate, notified: { stream: this.stream, key: address }, request: REQUEST });
    await settle();
  }

  async after(count: number): Promise<readonly string[]> {
    return (await this.story()).slice(count);
  }

  get sum() {
    const { amount } = this.gate.charges[0] ?? {};
    if (amount === undefined) throw new Error('nothing was charged');
    return amount;
  }
}

const APPROVED = 4;
const chargebackOf = ({ sum }: DisputedScenario): DisputeChange => ({ kind: 'chargeback', reportId: 'CB-1', amount: sum });
const WON: DisputeChange = { kind: 'representment', reportId: 'CB-1', outcome: 'won' };

describe('an authenticated dispute report from a gate (safety, F6)', () => {
  it('is recorded once for any number of repeats and processes', async () => {
    const world = await DisputedScenario.approved();
    const processes = [world.process, world.newProcess(), world.newProcess()];
    const telling = processes.map((process) => world.told(chargebackOf(world), { process }));
    await Promise.all([...telling, world.clock.advance(1_000)]);
    expect(await world.after(APPROVED)).toEqual(['ChargebackReceived']);
    expect([...world.heard].sort()).toEqual(['sim-a dispute nothing-new', 'sim-a dispute nothing-new', 'sim-a dispute recorded']);
  });

  it('is recorded after its chargeback if its outcome arrives before the chargeback', async () => {
    const world = await DisputedScenario.approved();
    await world.told(WON);
    await world.told(chargebackOf(world));
    await world.told(WON);
    expect(await world.after(APPROVED)).toEqual(['ReportSetAside', 'ChargebackReceived', 'RepresentmentReported']);
    expect(world.heard).toEqual(['sim-a dispute set-aside', 'sim-a dispute recorded', 'sim-a dispute nothing-new']);
  });

  it('is set aside if the order has no outcome yet', async () => {
    const world = new DisputedScenario();
    await world.accept();
    world.gate.onCharge = timedOut;
    await world.workOrder.work(world.stream);
    world.key = world.gate.charges[0]?.key ?? world.key;
    await world.told(chargebackOf(world));
    expect(await world.story()).toEqual(['OrderAccepted', 'AttemptStarted', 'AttemptUnknown', 'ReportSetAside']);
  });

  it('raises an alarm and changes nothing if its key is unknown or its gate was not asked', async () => {
    const world = await DisputedScenario.approved();
    await world.told(chargebackOf(world), { key: OTHER_KEY });
    await world.told(chargebackOf(world), { gate: OTHER_GATE });
    expect(await world.after(APPROVED)).toEqual([]);
    expect(world.heard).toEqual(['sim-a dispute unknown', 'sim-a alarm', 'sim-b dispute unknown', 'sim-b alarm']);
  });

  it('is set aside if its amount exceeds the charged amount', async () => {
    const world = await DisputedScenario.approved();
    const { minor, currency } = world.sum;
    await world.told({ kind: 'chargeback', reportId: 'CB-1', amount: { minor: minor + 1n, currency } });
    expect(await world.after(APPROVED)).toEqual(['ReportSetAside']);
    expect(world.heard).toEqual(['sim-a dispute set-aside']);
  });
});
