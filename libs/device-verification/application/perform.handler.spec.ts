import {
  noFailpoints,
  Secret,
  type Card,
  type ClientOrderId,
  type ContentDigest,
  type EndpointId,
  type MerchantLogin,
  type Sealed,
} from '@app/kernel';
import type { CardVault, OrderKeyId, OrderSealer } from '@app/card-vault';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { RoutingRulesRepository, ScreeningRulesRepository, type CvvSubmitQueue } from '@app/orders';
import { devicePlan, sampleCard, sampleGate, seededIds, seededRandom, textOrderIds, servedOffer, usd, VirtualClock } from '@app/testing';
import { deviceVerificationCodec, deviceVerificationStream } from './device-verification.codec';
import { PerformVerificationHandler, type PerformVerificationRequest } from './perform.handler';

const CARD: Card = { number: '4444333322221111', expiryMonth: 12, expiryYear: 2030, holder: 'JOHN SMITH' };
const MERCHANT = 'acme' as MerchantLogin;
const INVOICE = '33333333-3333-3333-3333-333333333333' as ClientOrderId;

const setUp = () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const handed: string[] = [];
  const vault = { keep: () => Promise.resolve(sampleCard()) } as unknown as CardVault;
  const sealer = {
    takeKey: () => Promise.resolve({ id: 'k1' as OrderKeyId, seal: (_merchant: string, _field: string, text: string) => text as Sealed }),
    unseal: (_merchant: string, _field: string, sealed: Sealed) => Promise.resolve(sealed as string),
  } as unknown as OrderSealer;
  const cvvQueue = {
    hasRoomIn: () => true,
    submitSoon: ({ stream }: { stream: string }) => handed.push(stream),
  } as unknown as CvvSubmitQueue;
  const handler = new PerformVerificationHandler({
    store,
    vault,
    sealer,
    digests: {
      onceKey: (kind, parts) =>
        Buffer.from([kind, ...parts].join('/'))
          .toString('hex')
          .padEnd(16, '0')
          .slice(0, 128),
    },
    cvvQueue,
    screeningRules: new ScreeningRulesRepository(store, clock),
    routingRules: new RoutingRulesRepository(store, clock),
    routes: { route: (offer) => offer },
    clock,
    ids: seededIds(5),
    orderIds: textOrderIds(seededRandom(1)),
    failpoints: noFailpoints,
  });
  const request: PerformVerificationRequest = {
    merchant: MERCHANT,
    clientOrderId: INVOICE,
    endpointId: '1001' as EndpointId,
    contentDigest: 'ab'.repeat(32) as ContentDigest,
    operation: 'account-verification',
    amount: usd(0n),
    card: new Secret(CARD),
    cvv: new Secret('123'),
    device: { accessToken: 'a'.repeat(64), nonce: 'n'.repeat(64), signature: 'F'.repeat(40), serialNumber: 'SN-1' },
    customer: { email: 'john@example.com' },
    details: {},
    offer: servedOffer({ plan: devicePlan({ operation: 'account-verification', gates: [sampleGate()] }) }),
    serial: '00000000-0000-0000-0000-000000000001',
    signatureAmbiguous: true,
  };
  return { handler, request, store, handed };
};

it('accepts a verification once, with its card and the flag for an ambiguous signed text', async () => {
  const { handler, request, store, handed } = setUp();
  const first = await handler.handle(request);
  expect(first).toMatchObject({ reason: 'accepted', orderId: expect.stringMatching(/^v[a-z0-9]{14}r$/) as string, endpointId: '1001' });
  await expect(handler.handle({ ...request, serial: '00000000-0000-0000-0000-000000000002' })).resolves.toEqual(first);
  const events = [];
  for await (const stored of store.read(deviceVerificationStream(MERCHANT, INVOICE))) events.push(deviceVerificationCodec.decode(stored));
  expect(events).toMatchObject([{ type: 'OrderAccepted', data: { card: sampleCard(), signatureAmbiguous: true } }]);
  expect(handed).toHaveLength(1);
});

it('rejects a verification with different content under the same invoice', async () => {
  const { handler, request } = setUp();
  await handler.handle(request);
  await expect(handler.handle({ ...request, contentDigest: 'cd'.repeat(32) as ContentDigest })).resolves.toEqual({
    reason: 'client-orderid-reused',
  });
});
