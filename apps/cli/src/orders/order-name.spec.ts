import type { OrchestratorEnvironment } from '@app/configuration';
import type { ClientOrderId, MerchantLogin, OrderId } from '@app/kernel';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { paymentCodec, paymentStream } from '@app/payment';
import { ACCEPTED_AT, sampleOrder, VirtualClock } from '@app/testing';
import type { OrderVerb } from '../stores';
import { namedOrders, oneOrder, orderPath } from './order-name';
import { CommandFailed } from '../terminal';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;
const NAME = 'inv-1' as ClientOrderId;

const log = new MemoryEventStore(new VirtualClock());
const verbOf = (...merchants: readonly MerchantLogin[]): OrderVerb => ({
  environment: { dataDir: '/data' } as OrchestratorEnvironment,
  readers: { log, readModel: undefined, close: () => Promise.resolve() },
  merchants,
});

const SHARED = '1048506000';

const accept = async (merchant: MerchantLogin, clientOrderId: string, orderId: string): Promise<void> => {
  const order = sampleOrder({ merchant, clientOrderId: clientOrderId as ClientOrderId, orderId: orderId as OrderId });
  const stream = paymentStream(merchant, order.clientOrderId);
  const envelope = { correlation: 's', causation: 's', actor: merchant, merchant, commandId: 'c', recordedAt: ACCEPTED_AT };
  await log.append(stream, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], stream, 'no_stream', envelope));
};

beforeAll(async () => {
  for (const merchant of [ACME, OTHER]) await accept(merchant, NAME, `p0sample0${merchant}xr`);
  await accept(ACME, 'inv-a', SHARED);
  await accept(ACME, SHARED, 'p0sample0order2r');
});

const [A, B] = ['inv-a', SHARED].map((name) => paymentStream(ACME, name as ClientOrderId));

describe('a name that is the orderid of one order and the client_orderid of another', () => {
  const problem =
    '"1048506000" names 2 orders: orderid p0sample0order2r (client_orderid 1048506000 of acme), orderid 1048506000 (client_orderid inv-a of acme).' +
    ' Name one of them with --orderid, or narrow the search with --client-orderid or --merchant';

  it('is rejected with exit code 2 by a command for a single order', async () => {
    await expect(oneOrder(verbOf(ACME), SHARED, {})).rejects.toMatchObject({ name: 'CommandFailed', message: problem, exitCode: 2 });
  });

  it('is rejected even if the read model has only one of the orders or neither', async () => {
    const knows = (rows: Readonly<Record<string, unknown>>) => ({
      orders: { byOrderId: (_merchant: MerchantLogin, id: string) => Promise.resolve(rows[id]) },
      checkpoint: () => Promise.resolve(undefined),
    });
    for (const rows of [{ [SHARED]: { stream: A } }, {}]) {
      const verb = verbOf(ACME);
      const behind = { ...verb, readers: { ...verb.readers, readModel: knows(rows) as unknown as OrderVerb['readers']['readModel'] } };
      await expect(oneOrder(behind, SHARED, {})).rejects.toMatchObject({ message: problem });
    }
  });

  it.each([
    ['orderid', { orderid: true }, A],
    ['client_orderid', { clientOrderid: true }, B],
  ] as const)('resolves to the matching order if its kind is given as %s', async (_, options, stream) => {
    await expect(oneOrder(verbOf(ACME), SHARED, options)).resolves.toBe(stream);
  });

  it('resolves to both orders in a read command, with a warning', async () => {
    const problems: string[] = [];
    const output = { problem: (text: string) => void problems.push(text) };
    await expect(namedOrders(verbOf(ACME), SHARED, {}, output)).resolves.toStrictEqual([B, A]);
    expect(problems).toStrictEqual([problem]);
  });
});

it('rejects a client_orderid shared by two merchants with exit code 2', async () => {
  await expect(oneOrder(verbOf(ACME, OTHER), NAME, {})).rejects.toMatchObject({
    name: 'CommandFailed',
    message: expect.stringContaining(
      '"inv-1" names 2 orders: orderid p0sample0acmexr (client_orderid inv-1 of acme), orderid p0sample0otherxr (client_orderid inv-1 of other)',
    ) as string,
    exitCode: 2,
  });
});

it('resolves a shared client_orderid if only one merchant is selected', async () => {
  await expect(oneOrder(verbOf(OTHER), NAME, {})).resolves.toBe(paymentStream(OTHER, NAME));
});

it('exits with 3 if no order has the name', async () => {
  await expect(oneOrder(verbOf(ACME, OTHER), 'inv-2', {})).rejects.toMatchObject({
    name: 'CommandFailed',
    message: 'no order "inv-2" of acme, other in /data',
    exitCode: 3,
  });
});

describe('the path of an order at the operator port', () => {
  it.each([
    ['p0sample0order0r', '/audit/orders/p0sample0order0r'],
    ['inv 1/2?', '/audit/orders/inv%201%2F2%3F'],
    ['unknown-1', '/audit/orders/unknown-1'],
    ['...', '/audit/orders/...'],
  ])('encodes %s as %s', (order, path) => expect(orderPath(order)).toBe(path));

  it.each(['', '.', '..', 'unknown'])('rejects %j, which would match another route', (order) => {
    expect(() => orderPath(order)).toThrow(CommandFailed);
    expect(() => orderPath(order)).toThrow('Give the order id');
  });
});
