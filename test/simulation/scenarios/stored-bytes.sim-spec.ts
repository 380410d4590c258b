import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptKey, GateAlias } from '@app/kernel';
import type { EventStore, StreamName } from '@app/event-store';
import type { SimulatorLedger } from '@app/gateway-adapters/simulator';
import { devicePlan, FEE_A, FEE_B, FEE_CHOICE_MS, sampleDeviceOrder, sampleGate, settle } from '@app/testing';
import { DeviceScenario } from './device-scenario';
import { FollowUpScenario, requestOf, streamOf } from './follow-up-scenario';
import { CVV, HOLDER, OrderScenario } from './order-scenario';
import { approvedBy, declinedBy } from './scripted-gate';

/** Events of a scripted run with a fixed clock and ids, byte by byte. They depend on event shapes, never on names or places of code. */
const GOLDEN = join(__dirname, '../golden/stored-bytes.jsonl');

const linesOf = async (name: string, store: Pick<EventStore, 'read'>, stream: StreamName): Promise<readonly string[]> => {
  const lines: string[] = [];
  for await (const { revision, id, type, data, metadata } of store.read(stream))
    lines.push(JSON.stringify([name, stream, Number(revision), id, type, data, metadata]));
  return lines;
};

type Scenario = () => Promise<readonly (readonly [Pick<EventStore, 'read'>, StreamName])[]>;

/** Answers at once: a thread writes the simulator's ledger, so virtual time would advance at random. */
const promptLedger: SimulatorLedger = {
  charge: (transaction) => Promise.resolve(transaction),
  complete: () => Promise.resolve(undefined),
  followUp: ({ asked, isPartCaptured: _captured, isPartReturned: _returned, ...transaction }) =>
    Promise.resolve({ ...transaction, operation: asked === 'return' ? 'reversal' : asked }),
  find: () => undefined,
  findFollowUp: () => undefined,
  close: () => Promise.resolve(),
};

const throughGates = async (world: OrderScenario): Promise<void> => {
  for (let round = 0; round < 10; round++) await world.workOrder.work(world.stream);
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a sale declined by one gate and approved by the next': async () => {
    const world = new OrderScenario();
    await world.accept({ gates: [sampleGate(), sampleGate({ alias: 'sim-b' as GateAlias })] });
    world.gate.onCharge = ({ key }) => Promise.resolve(declinedBy(key, 100));
    await throughGates(world);
    return [[world.store, world.stream]];
  },
  'a sale whose outcome is found by an inquiry': async () => {
    const world = new OrderScenario();
    await world.accept();
    world.gate.onCharge = () => Promise.resolve({ kind: 'unknown', cause: 'timeout' });
    world.gate.onInquiry = (key) => Promise.resolve(approvedBy(key));
    await world.workOrder.work(world.stream);
    await world.clock.advance(1_000);
    await world.workOrder.work(world.stream);
    return [[world.store, world.stream]];
  },
  'a sale with 3-D Secure': async () => {
    const world = new OrderScenario();
    await world.accept();
    let key = '' as AttemptKey;
    world.gate.onCharge = (request) => {
      key = request.key;
      return Promise.resolve({
        kind: 'payer-needed',
        transactionId: 'tx',
        page: { action: 'https://acs.example/', fields: { PaReq: 'x' } },
      });
    };
    await world.workOrder.work(world.stream);
    await world.returnPayer.payerReturned(world.stream, key, new Map());
    return [[world.store, world.stream]];
  },
  'a transfer with a chosen fee': async () => {
    const world = new DeviceScenario();
    world.gate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: FEE_A.commission });
    world.otherGate.onQuote = () => Promise.resolve({ kind: 'quoted', commission: FEE_B.commission });
    await world.acceptTransfer(sampleDeviceOrder({ plan: devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS }, cvvHolder: HOLDER }) }));
    world.process.cvvQueue.submitSoon({ lane: 'acme/sim-a', stream: world.stream, cvv: CVV });
    await settle(10);
    const open = await world.contexts.open(world.stream);
    await world.process.chooseFee.choose(open, FEE_B.gate, { serial: '00000000-0000-0000-0000-000000000002' });
    await settle(10);
    return [[world.store, world.stream]];
  },
  'a verification of a card': async () => {
    const world = new DeviceScenario();
    await world.acceptVerification(devicePlan({ operation: 'account-verification' }));
    for (let round = 0; round < 5; round++) await world.process.workOrder.work(world.verificationStream);
    return [[world.store, world.verificationStream]];
  },
  'a preauth, captured in part, and returned': async () => {
    const world = new FollowUpScenario(promptLedger, 5);
    const order = await world.approve('preauth', 1_000n);
    const process = world.newProcess();
    await process.handler.handle(requestOf(order, 'capture', 1, 600n));
    await world.workOut(order, process);
    await process.handler.handle(requestOf(order, 'return', 2, 250n));
    await world.workOut(order, process);
    return [[world.store, streamOf(order)]];
  },
};

const runAll = async (): Promise<string> => {
  const lines: string[] = [];
  for (const [name, scenario] of Object.entries(SCENARIOS))
    for (const [store, stream] of await scenario()) lines.push(...(await linesOf(name, store, stream)));
  return `${lines.join('\n')}\n`;
};

it('a scripted run writes the same bytes as its golden file', async () => {
  const written = await runAll();
  if (process.env['WRITE_GOLDEN'] === 'stored-bytes') writeFileSync(GOLDEN, written);
  expect(written.split('\n')).toStrictEqual(readFileSync(GOLDEN, 'utf8').split('\n'));
});
