import type { AttemptKey, GateAlias } from '@app/kernel';
import type { GateReport, InboundRequest, InquiryAnswer, SentFollowUp, SentRequest } from '@app/gateway-adapters/contract';
import { settle } from '@app/testing';
import { GATES, OrderScenario, type OrderProcess } from './order-scenario';
import { timedOut } from './scripted-gate';

export const SIM = 'sim-a' as GateAlias;
export const OTHER_GATE = 'sim-b' as GateAlias;
export const REQUEST: InboundRequest = {
  method: 'POST',
  path: [],
  query: new Map(),
  rawQuery: '',
  headers: new Map(),
  contentType: 'application/json',
  body: '{}',
};
export const OPEN = ['OrderAccepted', 'AttemptStarted', 'AttemptUnknown'];

export class HeardScenario extends OrderScenario {
  reports: readonly GateReport[] = [];
  key = '' as AttemptKey;

  constructor() {
    super();
    const listen = () => Promise.resolve({ reply: { status: 200, body: 'OK' }, reports: this.reports });
    this.gate.listening = { listen };
    this.otherGate.listening = { listen };
  }

  static async open(): Promise<HeardScenario> {
    const world = new HeardScenario();
    await world.accept({ gates: GATES });
    world.gate.onCharge = timedOut;
    await world.workOrder.work(world.stream);
    world.key = world.gate.charges[0]?.key ?? world.key;
    return world;
  }

  outcome(answer: InquiryAnswer | ((sent: SentRequest | SentFollowUp) => InquiryAnswer), key = this.key): GateReport {
    return { kind: 'outcome', key, answerTo: typeof answer === 'function' ? answer : () => answer };
  }

  async told(...reports: readonly GateReport[]): Promise<void> {
    await this.toldTo(this.process, SIM, reports);
  }

  async toldUnaddressed(...reports: readonly GateReport[]): Promise<void> {
    this.reports = reports;
    await this.process.hearing.hear({ gate: SIM, notified: undefined, request: REQUEST });
    await settle();
  }

  async toldTo(process: OrderProcess, gate: GateAlias, reports: readonly GateReport[], key = this.key): Promise<void> {
    this.reports = reports;
    const reply = await process.hearing.hear({ gate, notified: { stream: this.stream, key }, request: REQUEST });
    expect(reply).toStrictEqual({ status: 200, body: 'OK' });
    await settle();
  }
}
