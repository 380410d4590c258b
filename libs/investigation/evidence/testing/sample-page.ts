import type { Instant } from '@app/kernel';
import type { OpenPage } from '../open-page';

const at = (seconds: number): Instant => (1_795_913_120_000 + seconds * 1_000) as Instant;
const iso = (seconds: number): string => new Date(at(seconds)).toISOString();
const USD = { currency: 'USD', minor: '8710' };

const step = (revision: number, type: string, seconds: number, changes: readonly (readonly [string, string | null])[]) => ({
  event: {
    revision,
    id: `id-${revision}`,
    type,
    knownAt: iso(seconds),
    trueAt: iso(seconds),
    actor: 'acme',
    correlation: 'c',
    causation: 'c',
  },
  changes: changes.map(([field, after]) => ({ field, before: null, after })),
});
const entry = (type: string, seconds: number, details: OpenPage['timeline'][number]['details'], of = 'order') => ({
  at: at(seconds),
  of,
  type,
  actor: of === 'order' ? 'orchestrator' : 'callbacks',
  details,
});
const earlier = (number: number, daysBefore: number, amount: string, isSame: boolean) => ({
  orderId: `198153260${number}`,
  clientOrderId: `inv-${number}`,
  acceptedAt: iso(-daysBefore * 86_400),
  amount,
  currency: 'USD',
  sameAs: { ipAddress: true, device: false, email: isSame, address: isSame },
});

/** A disputed sale with 3-D Secure, a callback, a partial refund, three earlier orders, and a description that is an attack. */
export const samplePage = (): Omit<OpenPage, 'at' | 'log'> => ({
  state: {
    orderId: '1167258523',
    merchant: 'acme',
    clientOrderId: 'inv-1042',
    kind: 'payment',
    endpointId: '1001',
    status: 'approved',
    stage: 'chargeback_approved',
    transactionType: 'chargeback',
    amount: '87.10',
    initialAmount: '87.10',
    currency: 'USD',
    gate: 'sim-a',
    attempts: 1,
    transactionId: 'PNTEST-1167258523',
    rrn: '492469397704',
    approvalCode: 'Z9C4AX',
    receiptId: 'utzkhumsirjbmohnjclheltb',
    code: null,
    cardRefId: null,
    card: { bin: '444433', brand: 'VISA', lastFour: '1111', uid: 'u7jn3us4bczw9hiiiq4r' },
    destination: null,
    commission: null,
    serials: ['00000000-0000-0000-0000-00000000000f'],
    acceptedAt: iso(0),
    finalAt: iso(62),
    followUps: [
      {
        number: 1,
        operation: 'reversal',
        status: 'approved',
        amount: '20.00',
        transactionId: 'PNTEST-1',
        code: null,
        acceptedAt: iso(7_200),
        finalAt: iso(7_201),
      },
    ],
    reports: [
      {
        kind: 'chargeback',
        gate: 'sim-a',
        case: 'CB-4711',
        source: 'operator',
        stage: 'first',
        outcome: null,
        amount: '67.10',
        currency: 'USD',
        reasonCode: '10.4',
        happenedAt: null,
        receivedAt: iso(1_000_000),
        respondBy: iso(2_000_000),
        misfit: null,
        isAboveTaken: false,
      },
    ],
    gates: ['sim-a'],
    descriptor: 'ACME*TICKETS',
    attemptKey: '95b0c012-2098-47fb-9127-a1bd17e772db',
    processingAt: iso(1),
    processedAt: iso(61),
    terminalId: 'IMNUKDOB',
    payerAuthentication: 'AUTHENTICATED',
    eci: '05',
    advice: null,
    randomSum: null,
    payerDueAt: null,
    callbacks: ['callback'],
    conflicts: 0,
  },
  steps: {
    steps: [
      step(0, 'OrderAccepted', 0, [
        ['status', 'processing'],
        ['amount', '87.10'],
      ]),
      step(1, 'PayerChallenged', 2, [['payerDueAt', iso(900)]]),
      step(2, 'PayerReturned', 60, [['payerDueAt', null]]),
      step(3, 'AttemptApproved', 61, [['approvalCode', 'Z9C4AX']]),
      step(4, 'OrderApproved', 62, [['status', 'approved']]),
    ],
    trueSteps: null,
  },
  consumer: {
    holder: 'JANE <b>DOE</b>',
    email: 'jane@example.com',
    phone: '+12125550100',
    country: 'US',
    city: 'Springfield',
    zipCode: '12345',
    address1: '7 Drill Street',
    description: 'Two tickets </script><script>alert(1)</script>',
    ipAddress: '203.0.113.7',
  },
  earlierOrders: {
    orders: [earlier(3, 30, '12.00', true), earlier(2, 61, '1,155.20', true), earlier(1, 92, '19.99', false)],
    looked: 4,
    unreadable: 0,
    isCut: false,
  },
  timeline: [
    entry('OrderAccepted', 0, { note: '</script><img src=x onerror=alert(1)>' }),
    entry('PayerChallenged', 2, { transactionId: 'PNTEST-1', page: '[sealed]', payerDueAt: iso(900) }),
    entry('PayerReturned', 60, {}),
    entry('AttemptApproved', 61, { receipt: { transactionId: 'PNTEST-1167258523' }, approvalCode: 'Z9C4AX' }),
    entry('OrderApproved', 62, { amount: USD, receiptId: 'utzkhumsirjbmohnjclheltb' }),
    entry('CallbackDelivered', 63, { tries: 1, status: 200, factId: 'f11b1021', target: 'callback' }, 'delivery'),
  ],
});
