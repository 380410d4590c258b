import type { OrchestratorEnvironment } from '@app/configuration';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { ClientOrderId, GateAlias, MerchantLogin, OrderId } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import { ACCEPTED_AT, sampleOrder, VirtualClock } from '@app/testing';
import type { OrderVerb } from '../stores';
import { sendReport, type TypedReport } from './disputes';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;
const before = { ...process.env };
const INDEXED = '1048506000';

const log = new MemoryEventStore(new VirtualClock());
const accept = async (merchant: MerchantLogin, name: string, gate: string, correlation = 's'): Promise<void> => {
  const { plan, ...sample } = sampleOrder();
  const [planned] = plan.gates;
  const named = { merchant, clientOrderId: name as ClientOrderId, orderId: `p0${name}${merchant}`.slice(0, 15).padEnd(15, '0') + 'r' };
  const order = {
    ...sample,
    ...named,
    orderId: named.orderId as OrderId,
    plan: { ...plan, gates: [{ ...planned, alias: gate as GateAlias }] as const },
  };
  const stream = paymentStream(merchant, name as ClientOrderId);
  const envelope = { correlation, causation: 's', actor: merchant, merchant, commandId: 'c', recordedAt: ACCEPTED_AT };
  await log.append(stream, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], stream, 'no_stream', envelope));
};

beforeAll(async () => {
  await accept(OTHER, 'one', 'sim-a');
  for (const merchant of [ACME, OTHER]) await accept(merchant, 'both', 'sim-a');
  await accept(ACME, 'apart', 'sim-a');
  await accept(OTHER, 'apart', 'sim-b');
  await accept(ACME, 'indexed', 'sim-a', INDEXED);
});

let sent: object[];
beforeEach(() => {
  sent = [];
  process.env.ORCH_OPERATOR_TOKEN = 'a-token';
  jest.spyOn(globalThis, 'fetch').mockImplementation((_url, request) => {
    sent.push(JSON.parse(request?.body as string) as object);
    return Promise.resolve(Response.json({ order: {}, isKnown: false }));
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...before };
});

const report = (
  name: string,
  gate: string | undefined,
  merchants: readonly MerchantLogin[],
  readModel?: OrderVerb['readers']['readModel'],
) => {
  const verb: OrderVerb = {
    environment: { dataDir: '/data', operatorHost: '127.0.0.1', operatorPort: 1 } as OrchestratorEnvironment,
    readers: { log, readModel, close: () => Promise.resolve() },
    merchants,
  };
  const typed: TypedReport = { kind: 'fraud-warning', case: 'FW-1', ...(gate !== undefined && { gate }) };
  return sendReport(verb, name, typed);
};

it('reads only the log after the checkpoint if the order index has the order', async () => {
  const head = await log.head();
  const readModel = {
    orders: { byOrderId: () => Promise.resolve(undefined) },
    operatorOrders: { byOrderId: () => Promise.resolve(undefined) },
    cardReferences: { byCard: () => Promise.resolve([]) },
    search: { streamsNamed: () => Promise.resolve([paymentStream(ACME, 'indexed' as ClientOrderId)]) },
    checkpoint: () => Promise.resolve(head),
  } as unknown as OrderVerb['readers']['readModel'];
  const read = jest.spyOn(log, 'subscribe');
  await report(INDEXED, 'sim-a', [ACME], readModel);
  expect(sent).toMatchObject([{ merchant: 'acme' }]);
  expect(new Set(read.mock.calls.map(([, after]) => after))).toStrictEqual(new Set([head]));
});

describe('a report for an order named without its merchant', () => {
  it('is sent for the merchant of the only order with this name', async () => {
    await report('one', 'sim-a', [ACME, OTHER]);
    await report('both', 'sim-a', [OTHER]);
    expect(sent).toMatchObject([{ merchant: 'other' }, { merchant: 'other' }]);
  });

  it('is sent for the order that used the gate of the file if several orders have this name', async () => {
    await report('apart', 'sim-b', [ACME, OTHER]);
    await report('apart', 'sim-a', [ACME, OTHER]);
    expect(sent).toMatchObject([{ merchant: 'other' }, { merchant: 'acme' }]);
  });

  it.each([
    ['names several orders at this gate', 'both', 'sim-a'],
    ['names several orders, none at this gate', 'both', 'sim-c'],
    ['names several orders and no gate is given', 'apart', undefined],
  ])('is rejected with exit code 2 and a list of candidates: the name %s', async (_, name, gate) => {
    await expect(report(name, gate, [ACME, OTHER])).rejects.toMatchObject({
      name: 'CommandFailed',
      message: expect.stringContaining(`"${name}" names 2 orders: orderid `) as string,
      exitCode: 2,
    });
    expect(sent).toStrictEqual([]);
  });
});
