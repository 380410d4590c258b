import { createHash } from 'node:crypto';
import { addMs, type MerchantLogin } from '@app/kernel';
import type { Envelope, StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { sessionDigest } from '@app/orders';
import { sampleDeviceOrder, VirtualClock } from '@app/testing';
import { transferCodec, transferStream } from '@app/transfer';
import { DeviceOrders, SESSION_LIFE_MS } from './device-orders';

const DAY_MS = 86_400_000;
const SESSION = { accessToken: 'a'.repeat(64), token: '0f7d3c1e-2222-4a4a-8b8b-333333333333' };
const digests = {
  onceKey: (kind: string, parts: readonly string[]) =>
    createHash('sha256')
      .update([kind, ...parts].join('/'))
      .digest('hex'),
};

describe('session of a device order (protocol decisions, section 8)', () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const orders = new DeviceOrders(store, digests);
  const data = sampleDeviceOrder({ sessionDigest: sessionDigest(digests, SESSION.accessToken, SESSION.token) });
  const { merchant, endpointId, clientOrderId: invoiceId, acceptedAt } = data;
  const operation = data.plan.operation === 'transfer' ? 'transfer' : 'sale';
  const named = { merchant, endpointId, invoiceId };

  beforeAll(async () => {
    const stream = transferStream(merchant, invoiceId);
    const serial = '00000000-0000-0000-0000-000000000001';
    const envelope: Envelope = {
      correlation: serial,
      causation: serial,
      actor: merchant,
      merchant,
      commandId: serial,
      recordedAt: acceptedAt,
    };
    await store.append(stream, 'no_stream', transferCodec.encode([{ type: 'OrderAccepted', data }], stream, 'no_stream', envelope));
  });

  it('is valid for 24 hours, to the millisecond [W395]', async () => {
    expect(SESSION_LIFE_MS).toBe(DAY_MS);
    await expect(orders.find(operation, named, SESSION, addMs(acceptedAt, DAY_MS - 1))).resolves.toMatchObject({
      accepted: { endpointId },
    });
    await expect(orders.find(operation, named, SESSION, addMs(acceptedAt, DAY_MS))).resolves.toBeUndefined();
  });

  it.each([
    ['another access token', named, { ...SESSION, accessToken: 'b'.repeat(64) }],
    ['another token', named, { ...SESSION, token: '1f7d3c1e-2222-4a4a-8b8b-333333333333' }],
    ['another endpoint', { ...named, endpointId: '7777' }, SESSION],
    ['another invoice', { ...named, invoiceId: 'other' }, SESSION],
    ['another merchant', { ...named, merchant: 'other' as MerchantLogin }, SESSION],
    ['no merchant', { ...named, merchant: undefined }, SESSION],
  ])('does not find the order with %s', async (_what, asked, session) => {
    await expect(orders.find(operation, asked, session, acceptedAt)).resolves.toBeUndefined();
  });

  it('needs one store read with a name of constant length per lookup, even for an unknown endpoint (safety, T10)', async () => {
    const read: string[] = [];
    const watched = {
      read: (stream: StreamName) => {
        read.push(stream);
        return store.read(stream);
      },
    };
    const asked = new DeviceOrders(watched as unknown as MemoryEventStore, digests);
    const strangers = [
      { ...named, invoiceId: 'other' },
      { ...named, merchant: 'other' as MerchantLogin },
      { ...named, merchant: undefined },
    ];
    for (const stranger of strangers) await asked.find(operation, stranger, SESSION, acceptedAt);
    expect(read).toHaveLength(strangers.length);
    expect(new Set(read).size).toBe(strangers.length);
    expect(new Set(read.map(({ length }) => length)).size).toBe(1);
  });

  it('is valid for only one operation', async () => {
    const others = (['verification', 'sale', 'transfer'] as const).filter((name) => name !== operation);
    for (const other of others) await expect(orders.find(other, named, SESSION, acceptedAt)).resolves.toBeUndefined();
  });
});
