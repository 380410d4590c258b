import { erasureStream } from '@app/investigation/erasure';
import type { ClientOrderId, MerchantLogin, NonEmpty, OrderId } from '@app/kernel';
import { hashOf, type NewEvent, type Revision, type StreamName } from '@app/event-store';
import { SELECTED_STREAMS_MAX } from '@app/event-store/copy';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { chainedEvents, ChainedWriter } from '@app/event-store/testing';
import { paymentCodec, paymentStream } from '@app/payment';
import { ACCEPTED_AT, sampleOrder, VirtualClock } from '@app/testing';
import { selectedStreams, type SelectionOptions } from './selected-streams';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;
const NAME = 'inv-1' as ClientOrderId;

const log = new MemoryEventStore(new VirtualClock());
const writer = new ChainedWriter(log);
const select = (options: Partial<SelectionOptions>) => selectedStreams(log, { stream: [], ...options });
const failed = (exitCode: number, message: string) => ({ name: 'CommandFailed', exitCode, message });

const writeOrder = async (
  merchant: MerchantLogin,
  clientOrderId: ClientOrderId,
  orderId = `p0sample0${merchant}xr`,
): Promise<NonEmpty<NewEvent>> => {
  const order = sampleOrder({ merchant, clientOrderId, orderId: orderId as OrderId });
  const stream = paymentStream(merchant, clientOrderId);
  const envelope = { correlation: 's', causation: 's', actor: merchant, merchant, commandId: 'c', recordedAt: ACCEPTED_AT };
  const events = paymentCodec.encode([{ type: 'OrderAccepted', data: order }], stream, 'no_stream', envelope);
  await log.append(stream, 'no_stream', events);
  return events;
};

beforeAll(async () => {
  for (const merchant of [ACME, OTHER]) await writeOrder(merchant, NAME);
});

it('nothing that is named is the whole log', async () => {
  await expect(select({})).resolves.toBe('all');
});

it('an order of two merchants is refused without the merchant, exit code 2', async () => {
  const message = expect.stringContaining(
    '--order: "inv-1" names 2 orders: orderid p0sample0acmexr (client_orderid inv-1 of acme), ',
  ) as string;
  await expect(select({ order: NAME })).rejects.toMatchObject(failed(2, message));
  await expect(select({ order: NAME, merchant: OTHER })).resolves.toStrictEqual([
    paymentStream(OTHER, NAME),
    erasureStream(paymentStream(OTHER, NAME)),
  ]);
});

it('an orderid that is the client_orderid of another order is refused until it is said which is meant, exit code 2', async () => {
  const shared = '1048506000' as ClientOrderId;
  const named = 'inv-of-a-number' as ClientOrderId;
  await writeOrder(ACME, named, shared);
  await writeOrder(OTHER, shared);
  const message = expect.stringContaining('--order: "1048506000" names 2 orders: ') as string;
  await expect(select({ order: shared })).rejects.toMatchObject(failed(2, message));
  await expect(select({ orderid: shared })).resolves.toContain(paymentStream(ACME, named));
  await expect(select({ clientOrderid: shared })).resolves.toContain(paymentStream(OTHER, shared));
  await expect(select({ order: shared, orderid: shared })).rejects.toMatchObject(failed(2, '--order and --orderid exclude each other'));
});

it('an order with an event that this release does not know is refused, exit code 1', async () => {
  const named = 'inv-of-later' as ClientOrderId;
  const stream = paymentStream(ACME, named);
  const [accepted] = await writeOrder(ACME, named);
  const later = chainedEvents(stream, { revision: 0n as Revision, hash: hashOf(accepted) }, 1, 'request', 'content');
  await log.append(stream, 0n as Revision, later.events);
  await expect(select({ order: named })).rejects.toMatchObject(
    failed(1, '--order: "inv-of-later" holds an event that this release cannot read, so its streams are not known; --stream names them'),
  );
  await expect(select({ stream: [stream] })).resolves.toStrictEqual([stream]);
});

it('an order and a stream together are refused, exit code 2', async () => {
  const stream = [paymentStream(ACME, NAME)];
  await expect(select({ order: NAME, merchant: ACME, stream })).rejects.toMatchObject(failed(2, '--order and --stream exclude each other'));
});

it('more streams than one copy takes are refused, exit code 2, and one that is named twice counts once', async () => {
  const names = Array.from({ length: SELECTED_STREAMS_MAX + 1 }, (_, index) => `payment-${index}` as StreamName);
  for (const name of names) await writer.write(name);
  const most = names.slice(1);
  await expect(select({ stream: [...most, ...most] })).resolves.toStrictEqual(most);
  await expect(select({ stream: names })).rejects.toMatchObject(failed(2, '61 streams: at most 60 at once'));
});
