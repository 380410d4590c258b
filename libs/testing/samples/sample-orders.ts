import type { CardHandle, CardUid, ClientOrderId, ContentDigest, EndpointId, GateAlias, MerchantLogin, OrderId, Sealed } from '@app/kernel';
import type {
  AcceptedOrder,
  FinalEvent,
  Offer,
  OrderApproved,
  OrderCard,
  OrderDeclined,
  OrderFailed,
  OrderFiltered,
  Plan,
  PlannedGate,
  RequestedOrder,
} from '@app/orders/domain';
import { ACCEPTED_AT, afterAcceptance, ATTEMPT_KEY, RECEIPT_ID, SAMPLE_AMOUNT } from './sample-facts';

export const sampleGate = (overrides: Partial<PlannedGate> = {}): PlannedGate => ({
  alias: 'sim-a' as GateAlias,
  descriptor: 'ACME*SHOP',
  gateDescriptor: 'test-a',
  partialReversal: true,
  partialCapture: true,
  longestFlightMs: 5_000,
  ...overrides,
});

/** One gate, 15 minutes for the payer, no CVV, one callback. */
export const samplePlan = (overrides: Partial<Plan> = {}): Plan => ({
  operation: 'sale',
  gates: [sampleGate()],
  payerMs: 900_000,
  callbacks: ['callback'],
  ...overrides,
});

/** The card data allowed outside the vault, without a card number. */
export const sampleCard = (overrides: Partial<OrderCard> = {}): OrderCard => ({
  handle: 'card-handle-1' as CardHandle,
  uid: 'uid0of0the0sample0cd' as CardUid,
  face: { bin: '444455', lastFour: '1111', brand: 'VISA', expiryMonth: 12, expiryYear: 2030 },
  ...overrides,
});

export const sampleRequest = (overrides: Partial<RequestedOrder> = {}): RequestedOrder => ({
  orderId: 'p0sample0order1r' as OrderId,
  merchant: 'acme' as MerchantLogin,
  clientOrderId: 'inv-1' as ClientOrderId,
  amount: SAMPLE_AMOUNT,
  contentDigest: 'c0ffee' as ContentDigest,
  card: sampleCard(),
  customer: 'sealed-customer' as Sealed,
  details: 'sealed-details' as Sealed,
  ...overrides,
});

export const sampleOrder = (overrides: Partial<AcceptedOrder> = {}): AcceptedOrder => ({
  ...sampleRequest(),
  endpointId: '1001' as EndpointId,
  plan: samplePlan(),
  acceptedAt: ACCEPTED_AT,
  ...overrides,
});

export const servedOffer = (overrides: Partial<Omit<Extract<Offer, { kind: 'served' }>, 'kind'>> = {}): Offer => ({
  kind: 'served',
  endpointId: '1001' as EndpointId,
  plan: samplePlan(),
  amountMaxMinor: 10_000_000n,
  ...overrides,
});

const callbacks = samplePlan().callbacks;

export const finalEvents = {
  approved: (data: Partial<OrderApproved['data']> = {}): OrderApproved => ({
    type: 'OrderApproved',
    data: {
      attemptKey: ATTEMPT_KEY,
      amount: SAMPLE_AMOUNT,
      receiptId: RECEIPT_ID,
      callbacks,
      approvedAt: afterAcceptance(300),
      ...data,
    },
  }),
  declined: (data: Partial<OrderDeclined['data']> = {}): OrderDeclined => ({
    type: 'OrderDeclined',
    data: { code: 116, callbacks, declinedAt: afterAcceptance(300), ...data },
  }),
  filtered: (data: Partial<OrderFiltered['data']> = {}): OrderFiltered => ({
    type: 'OrderFiltered',
    data: { code: 120, callbacks, filteredAt: afterAcceptance(300), ...data },
  }),
  failed: (data: Partial<OrderFailed['data']> = {}): OrderFailed => ({
    type: 'OrderFailed',
    data: { code: 122, callbacks, failedAt: afterAcceptance(300), ...data },
  }),
} as const satisfies Record<string, () => FinalEvent>;
