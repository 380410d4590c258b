import type { EnvelopeCardVault } from '@app/card-vault';
import type { NewEvent, StreamName } from '@app/event-store';
import type {
  AttemptKey,
  CardHandle,
  CardRefId,
  CardUid,
  ClientOrderId,
  Currency,
  EndpointId,
  GateAlias,
  Instant,
  MerchantLogin,
  NonEmpty,
  OrderId,
  Sealed,
} from '@app/kernel';
import type { DeliveryEvent, DeliveryIdentity } from '@app/callbacks/events';
import type { AcceptedOrder, AttemptStarted } from '@app/orders/domain';
import type { RecurringEvent } from '@app/recurring/events';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';

const { deliveryCodec, deliveryStream } = built<typeof import('@app/callbacks')>('libs/callbacks/index.js');
const { addMs, makeOrderId, systemIds, systemRandom } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { packTexts, SEALED_FIELDS } = built<typeof import('@app/orders/domain')>('libs/orders/domain/index.js');
const { recurringCodec, recurringStream } = built<typeof import('@app/recurring')>('libs/recurring/index.js');

export interface WrittenStream {
  readonly stream: StreamName;
  readonly events: NonEmpty<NewEvent>;
}

export interface WrittenOrder extends WrittenStream {
  readonly clientOrderId: ClientOrderId;
  readonly orderId: OrderId;
  /** Absent for an order that has not ended. */
  readonly delivery?: WrittenStream;
}

/** `faulty`: approved, with a second end, so that read models park its stream. */
type OrderEnd = 'approved' | 'declined' | 'unknown' | 'disputed' | 'represented' | 'faulty';
type DeliveryEnd = 'delivered' | 'waiting' | 'exhausted';

const acme = ACME.login as MerchantLogin;
const GATE = 'sim-a';
const LAST_FOUR = '1111';
const RECEIPT_ID_BYTES = 18;
const PAYER_MS = 900_000;
const DAY_MS = 86_400_000;
const DISPUTE_DAYS = 400;
/** No measurement reaches it, so that nothing is sent during it. */
const NEXT_TRY_AT = 4_102_444_800_000 as Instant;

export const envelope = (number: number, actor: string, recordedAt: Instant, merchant: string = acme) => {
  const serial = `00000000-0000-0000-00ff-${number.toString(16).padStart(12, '0')}`;
  return { correlation: serial, causation: serial, actor, merchant, commandId: systemIds.next(), recordedAt };
};

/** The payer is sealed once for all orders. Each order has a separate key for its texts. */
export const sealedCustomer = async (vault: EnvelopeCardVault): Promise<Sealed> =>
  (await vault.takeKey()).seal(acme, SEALED_FIELDS.customer, packTexts({ holder: 'JOHN SMITH', email: 'payer@example.com' }));

interface Accepting {
  readonly vault: EnvelopeCardVault;
  readonly customer: Sealed;
  readonly number: number;
  readonly acceptedAt: Instant;
  /** Default: an order of the first merchant, approved, whose callback was delivered. */
  readonly merchant?: MerchantLogin;
  readonly end?: OrderEnd;
  readonly delivery?: DeliveryEnd;
  readonly target?: 'callback' | 'notify';
}

const accepted = async ({
  vault,
  customer,
  number,
  acceptedAt,
  merchant = acme,
  target = 'callback',
}: Accepting): Promise<AcceptedOrder> => {
  const clientOrderId = `filled-${number}` as ClientOrderId;
  const key = await vault.takeKey();
  const details = { description: 'Subscription, monthly', ipAddress: '192.0.2.1', merchantData: `contract=${number}&plan=monthly` };
  return {
    orderId: makeOrderId('r', (size) => systemRandom.bytes(size)),
    merchant,
    clientOrderId,
    endpointId: ACME.endpointId as EndpointId,
    amount: { minor: 100_042n + BigInt(number % 997), currency: ACME.currency as Currency },
    contentDigest: vault.contentDigest([clientOrderId]),
    card: {
      handle: 'abcdefghijklmnopqrstuv' as CardHandle,
      uid: 'abcdefghijklmnopqrst' as CardUid,
      face: { bin: '444433', lastFour: LAST_FOUR, brand: 'VISA', expiryMonth: 12, expiryYear: 2040 },
    },
    customer,
    details: key.seal(merchant, SEALED_FIELDS.details, packTexts(details)),
    plan: {
      operation: 'sale',
      gates: [
        {
          alias: GATE as GateAlias,
          descriptor: GATE,
          gateDescriptor: GATE,
          partialReversal: true,
          partialCapture: true,
          longestFlightMs: 5_000,
        },
      ],
      payerMs: PAYER_MS,
      callbacks: [target],
    },
    acceptedAt,
  };
};

const started = (attemptKey: AttemptKey, { amount, acceptedAt, plan }: AcceptedOrder): AttemptStarted => ({
  type: 'AttemptStarted',
  data: { attemptKey, number: 1, gate: plan.gates[0].alias, amount, issuer: { cardType: 'VISA' }, startedAt: addMs(acceptedAt, 5) },
});

interface Ending {
  readonly number: number;
  readonly order: AcceptedOrder;
  readonly attemptKey: AttemptKey;
}

/** Of the event that ends an order: its callback has the event's id. */
const END_REVISION = 3;

/** What follows the start of the attempt. */
const endingOf = (end: OrderEnd, { number, order, attemptKey }: Ending): readonly RecurringEvent[] => {
  const { acceptedAt, amount, orderId, plan } = order;
  const { callbacks } = plan;
  const answeredAt = addMs(acceptedAt, 10);
  const receipt = {
    transactionId: `PNTEST-${orderId}`,
    processedAt: addMs(acceptedAt, 9),
    rrn: String(100_000_000 + number),
    terminalId: 'T0000001',
  };
  if (end === 'unknown') return [{ type: 'AttemptUnknown', data: { attemptKey, cause: 'timeout', answeredAt } }];
  if (end === 'declined')
    return [
      { type: 'AttemptDeclined', data: { attemptKey, by: 'gate', code: 100, receipt, answeredAt } },
      { type: 'OrderDeclined', data: { code: 100, callbacks, declinedAt: answeredAt } },
    ];
  const receiptId = Buffer.from(systemRandom.bytes(RECEIPT_ID_BYTES)).toString('base64url');
  const approved: RecurringEvent = { type: 'OrderApproved', data: { attemptKey, amount, receiptId, callbacks, approvedAt: answeredAt } };
  const dispute = {
    gate: plan.gates[0].alias,
    source: 'gate',
    reportId: `CB-${number}`,
    amount,
    callbacks: [],
    receivedAt: answeredAt,
  } as const;
  const respondBy = (Math.ceil(acceptedAt / DAY_MS + (number % DISPUTE_DAYS)) * DAY_MS) as Instant;
  return [
    { type: 'AttemptApproved', data: { attemptKey, receipt, approvalCode: 'A1B2C3', answeredAt } },
    approved,
    ...(end === 'faulty' ? [approved] : []),
    ...(end === 'disputed' || end === 'represented'
      ? [{ type: 'ChargebackReceived', data: { ...dispute, stage: 'first', reasonCode: '10.4', respondBy } } as const]
      : []),
    ...(end === 'represented' ? [{ type: 'RepresentmentReported', data: { ...dispute, stage: 'first', outcome: 'won' } } as const] : []),
  ];
};

const deliveryOf = (end: DeliveryEnd, identity: DeliveryIdentity, at: Instant): DeliveryEvent => {
  const failure = { cause: 'answered', status: 503 } as const;
  if (end === 'delivered') return { type: 'CallbackDelivered', data: { ...identity, tries: 1, status: 200, deliveredAt: at } };
  return end === 'waiting'
    ? { type: 'CallbackFailed', data: { ...identity, tryNumber: 1, failure, failedAt: at, nextTryAt: NEXT_TRY_AT } }
    : { type: 'CallbackExhausted', data: { ...identity, tries: 9, failure, exhaustedAt: at } };
};

export const writtenOrder = async (accepting: Accepting): Promise<WrittenOrder> => {
  const { number, acceptedAt, merchant = acme, end = 'approved', delivery = 'delivered', target = 'callback' } = accepting;
  const order = await accepted(accepting);
  const { clientOrderId, orderId } = order;
  const attemptKey = systemIds.next() as AttemptKey;
  const stream = recurringStream(merchant, clientOrderId);
  const events: NonEmpty<RecurringEvent> = [
    {
      type: 'OrderAccepted',
      data: { ...order, cardRefId: 'aabcdefghijklmnopqrc' as CardRefId, marks: { scenario: 'REGULAR', initiator: 'MERCHANT' } },
    },
    started(attemptKey, order),
    ...endingOf(end, { number, order, attemptKey }),
  ];
  const encoded = recurringCodec.encode(events, stream, 'no_stream', envelope(number, merchant, acceptedAt, merchant));
  const fact = encoded[END_REVISION];
  if (end === 'unknown' || fact === undefined) return { clientOrderId, orderId, stream, events: encoded };
  const told = deliveryStream(fact.id, target);
  const event = deliveryOf(delivery, { factId: fact.id, target, orderStream: stream }, addMs(acceptedAt, 20));
  const delivered = deliveryCodec.encode([event], told, 'no_stream', envelope(number, 'deliveries', acceptedAt, merchant));
  return { clientOrderId, orderId, stream, events: encoded, delivery: { stream: told, events: delivered } };
};
