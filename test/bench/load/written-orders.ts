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

interface WrittenOrder extends WrittenStream {
  readonly clientOrderId: ClientOrderId;
  readonly orderId: OrderId;
  readonly delivery: WrittenStream;
}

const merchant = ACME.login as MerchantLogin;
const GATE = 'sim-a';
const LAST_FOUR = '1111';
const RECEIPT_ID_BYTES = 18;
const PAYER_MS = 900_000;

const envelope = (number: number, actor: string, recordedAt: Instant) => {
  const serial = `00000000-0000-0000-00ff-${number.toString(16).padStart(12, '0')}`;
  return { correlation: serial, causation: serial, actor, merchant, commandId: systemIds.next(), recordedAt };
};

/** The payer is sealed once for all orders. Each order has a separate key for its texts. */
export const sealedCustomer = async (vault: EnvelopeCardVault): Promise<Sealed> =>
  (await vault.takeKey()).seal(merchant, SEALED_FIELDS.customer, packTexts({ holder: 'JOHN SMITH', email: 'payer@example.com' }));

interface Accepting {
  readonly vault: EnvelopeCardVault;
  readonly customer: Sealed;
  readonly number: number;
  readonly acceptedAt: Instant;
}

const accepted = async ({ vault, customer, number, acceptedAt }: Accepting): Promise<AcceptedOrder> => {
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
      callbacks: ['callback'],
    },
    acceptedAt,
  };
};

const started = (attemptKey: AttemptKey, { amount, acceptedAt, plan }: AcceptedOrder): AttemptStarted => ({
  type: 'AttemptStarted',
  data: { attemptKey, number: 1, gate: plan.gates[0].alias, amount, issuer: { cardType: 'VISA' }, startedAt: addMs(acceptedAt, 5) },
});

export const approvedOrder = async (accepting: Accepting): Promise<WrittenOrder> => {
  const { number, acceptedAt } = accepting;
  const order = await accepted(accepting);
  const { amount, clientOrderId, orderId } = order;
  const attemptKey = systemIds.next() as AttemptKey;
  const answeredAt = addMs(acceptedAt, 10);
  const stream = recurringStream(merchant, clientOrderId);
  const events: NonEmpty<RecurringEvent> = [
    {
      type: 'OrderAccepted',
      data: { ...order, cardRefId: 'aabcdefghijklmnopqrc' as CardRefId, marks: { scenario: 'REGULAR', initiator: 'MERCHANT' } },
    },
    started(attemptKey, order),
    {
      type: 'AttemptApproved',
      data: {
        attemptKey,
        receipt: {
          transactionId: `PNTEST-${orderId}`,
          processedAt: addMs(acceptedAt, 9),
          rrn: String(100_000_000 + number),
          terminalId: 'T0000001',
        },
        approvalCode: 'A1B2C3',
        answeredAt,
      },
    },
    {
      type: 'OrderApproved',
      data: {
        attemptKey,
        amount,
        receiptId: Buffer.from(systemRandom.bytes(RECEIPT_ID_BYTES)).toString('base64url'),
        callbacks: ['callback'],
        approvedAt: answeredAt,
      },
    },
  ];
  const encoded = recurringCodec.encode(events, stream, 'no_stream', envelope(number, merchant, acceptedAt));
  const final = encoded.at(-1) ?? encoded[0];
  const delivery = deliveryStream(final.id, 'callback');
  const told = {
    factId: final.id,
    target: 'callback',
    orderStream: stream,
    tries: 1,
    status: 200,
    deliveredAt: addMs(acceptedAt, 20),
  } as const;
  const delivered = deliveryCodec.encode(
    [{ type: 'CallbackDelivered', data: told }],
    delivery,
    'no_stream',
    envelope(number, 'deliveries', acceptedAt),
  );
  return { clientOrderId, orderId, stream, events: encoded, delivery: { stream: delivery, events: delivered } };
};
