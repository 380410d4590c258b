import type { OrchestratorEnvironment } from '@app/configuration';
import type { ClientOrderId, MerchantLogin, OrderId } from '@app/kernel';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { paymentCodec, paymentStream } from '@app/payment';
import { ACCEPTED_AT, sampleOrder, VirtualClock } from '@app/testing';
import type { OrderVerb } from './named-orders';
import { oneOrder } from './one-order';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;
const NAME = 'inv-1' as ClientOrderId;

const log = new MemoryEventStore(new VirtualClock());
const verbOf = (...merchants: readonly MerchantLogin[]): OrderVerb => ({
  environment: { dataDir: '/data' } as OrchestratorEnvironment,
  readers: { log, readModel: undefined, close: () => Promise.resolve() },
  merchants,
});

beforeAll(async () => {
  for (const merchant of [ACME, OTHER]) {
    const order = sampleOrder({ merchant, clientOrderId: NAME, orderId: `p0sample0${merchant}xr` as OrderId });
    const stream = paymentStream(merchant, NAME);
    const envelope = { correlation: 's', causation: 's', actor: merchant, merchant, commandId: 'c', recordedAt: ACCEPTED_AT };
    await log.append(stream, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], stream, 'no_stream', envelope));
  }
});

it('a name of orders of two merchants is refused, exit code 2', async () => {
  await expect(oneOrder(verbOf(ACME, OTHER), NAME)).rejects.toMatchObject({
    name: 'CommandFailed',
    message: '"inv-1" names 2 orders; --merchant tells which, or the orderid',
    exitCode: 2,
  });
});

it('the same name with one of them is that order', async () => {
  await expect(oneOrder(verbOf(OTHER), NAME)).resolves.toBe(paymentStream(OTHER, NAME));
});

it('a name of no order is not found, exit code 3', async () => {
  await expect(oneOrder(verbOf(ACME, OTHER), 'inv-2')).rejects.toMatchObject({
    name: 'CommandFailed',
    message: 'no order "inv-2" of acme, other in /data',
    exitCode: 3,
  });
});
