import { lastAfter, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { ClientOrderId, MerchantLogin, Sealed } from '@app/kernel';
import { packTexts } from '@app/orders/domain';
import { paymentCodec, paymentStream } from '@app/payment';
import { ACCEPTED_AT, attemptEvents, sampleOrder, VirtualClock } from '@app/testing';
import { customerOrders } from './customer-orders';

const acme = 'acme' as MerchantLogin;
const other = 'other' as MerchantLogin;

const world = () => {
  const log = new MemoryEventStore(new VirtualClock());
  const texts = new Map<string, string | undefined>();
  let opened = 0;
  const sealer = {
    unseal: (_merchant: string, _field: string, sealed: Sealed) => {
      opened += 1;
      return Promise.resolve(texts.get(sealed));
    },
  };
  const accept = async (name: string, customer: Record<string, string> | undefined, merchant = acme): Promise<StreamName> => {
    const sealed = `sealed ${name}` as Sealed;
    texts.set(sealed, customer && packTexts(customer));
    const clientOrderId = name as ClientOrderId;
    const stream = paymentStream(merchant, clientOrderId);
    const envelope = { correlation: 's', causation: 's', actor: merchant, merchant, commandId: name, recordedAt: ACCEPTED_AT };
    const accepted = { type: 'OrderAccepted' as const, data: sampleOrder({ merchant, clientOrderId, customer: sealed }) };
    const events = paymentCodec.encode([accepted], stream, 'no_stream', envelope);
    const result = await log.append(stream, 'no_stream', events);
    if (result.kind !== 'appended') throw new Error('a conflict');
    const last = lastAfter(result.revision, events);
    const started = paymentCodec.encode([attemptEvents.started()], stream, last, { ...envelope, commandId: `${name} 2` });
    await log.append(stream, result.revision, started);
    return stream;
  };
  return { log, sealer, accept, opened: () => opened };
};

it('customerOrders matches email and phone in any notation, and no erased or other customer', async () => {
  const { log, sealer, accept } = world();
  const byMail = await accept('a', { email: 'Jane@Example.com' });
  const byPhone = await accept('b', { email: 'x@example.com', phone: '+371 2000-0000' });
  await accept('c', { email: 'joan@example.com', holder: 'jane@example.com' });
  await accept('d', undefined);
  await accept('e', { email: 'jane@example.com' }, other);
  const find = async (customer: string) => (await customerOrders({ log, sealer }, acme, customer))?.streams;
  expect(await find(' jane@example.com')).toStrictEqual([byMail]);
  expect(await find('+37120000000')).toStrictEqual([byPhone]);
  expect(await find('nobody@example.com')).toStrictEqual([]);
  // These marks must not match customers without a number.
  for (const marks of ['', '     ', '+()-- ']) expect(await find(marks)).toStrictEqual([]);
});

it('customerOrders unseals at most openedMax texts per page, and the next page continues after them', async () => {
  const { log, sealer, accept, opened } = world();
  const openedMax = 20;
  const streams: StreamName[] = [];
  for (let count = 0; count <= openedMax; count++) streams.push(await accept(`o-${count}`, { email: 'jane@example.com' }));
  const first = await customerOrders({ log, sealer, openedMax }, acme, 'jane@example.com');
  expect([first?.streams.length, opened()]).toStrictEqual([openedMax, openedMax]);
  const second = await customerOrders({ log, sealer, openedMax }, acme, 'jane@example.com', first?.next);
  expect(second).toStrictEqual({ streams: streams.slice(openedMax), next: undefined });
});

it.each(['x', '-1', '1/', '99999999', '1 or 2'])('customerOrders refuses a cursor that no page returned: %j', async (after) => {
  const { log, sealer, accept } = world();
  await accept('a', { email: 'jane@example.com' });
  await expect(customerOrders({ log, sealer }, acme, 'jane@example.com', after)).resolves.toBeUndefined();
});
