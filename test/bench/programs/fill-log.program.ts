import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
  Sealed,
} from '@app/kernel';
import type { EnvelopeCardVault } from '@app/card-vault';
import type { EventStore, NewEvent, StreamName } from '@app/event-store';
import type { RecurringEvent } from '@app/recurring/events';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import { EVENTS_PER_ORDER, type Fill, type Filled } from '../load/filled-log';

const { createKeyRing, loadKeyRing, openSqliteVault } = built<typeof import('@app/card-vault')>('libs/card-vault/index.js');
const { deliveryCodec, deliveryStream } = built<typeof import('@app/deliveries')>('libs/deliveries/index.js');
const { EmbeddedEventStore } = built<typeof import('@app/event-store/embedded')>('libs/event-store/embedded/index.js');
const { makeOrderId, systemClock, systemIds, systemRandom, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { packTexts, SEALED_FIELDS } = built<typeof import('@app/order-processing/domain')>('libs/order-processing/domain/index.js');
const { recurringCodec, recurringStream } = built<typeof import('@app/recurring')>('libs/recurring/index.js');

const UNDER_WAY_MAX = 512;
const FIRST_AT = 1_767_225_600_000;
const GAP_MS = 100;
const merchant = ACME.login as MerchantLogin;

interface Order {
  readonly clientOrderId: ClientOrderId;
  readonly orderId: string;
  readonly stream: StreamName;
  readonly events: NonEmpty<NewEvent>;
  readonly delivery: { readonly stream: StreamName; readonly events: NonEmpty<NewEvent> };
}

const at = (number: number, ms: number): Instant => (FIRST_AT + number * GAP_MS + ms) as Instant;

const envelope = (number: number, actor: string) => {
  const serial = `00000000-0000-0000-00ff-${number.toString(16).padStart(12, '0')}`;
  return { correlation: serial, causation: serial, actor, merchant, commandId: systemIds.next(), recordedAt: at(number, 0) };
};

/** One approved recurrent payment, through the codecs of the contexts. */
const orderOf = async (vault: EnvelopeCardVault, customer: Sealed, number: number): Promise<Order> => {
  const clientOrderId = `filled-${number}` as ClientOrderId;
  const orderId = makeOrderId('r', (size) => systemRandom.bytes(size));
  const key = await vault.takeKey();
  const details = { description: 'Subscription, monthly', ipAddress: '192.0.2.1', merchantData: `contract=${number}&plan=monthly` };
  const amount = { minor: 100_042n + BigInt(number % 997), currency: ACME.currency as Currency };
  const attemptKey = systemIds.next() as AttemptKey;
  const gate = 'sim-a' as GateAlias;
  const stream = recurringStream(merchant, clientOrderId);
  const events: NonEmpty<RecurringEvent> = [
    {
      type: 'OrderAccepted',
      data: {
        orderId,
        merchant,
        clientOrderId,
        endpointId: ACME.endpointId as EndpointId,
        amount,
        contentDigest: vault.contentDigest([clientOrderId]),
        card: {
          handle: 'abcdefghijklmnopqrstuv' as CardHandle,
          uid: 'abcdefghijklmnopqrst' as CardUid,
          face: { bin: '444433', lastFour: '1111', brand: 'VISA', expiryMonth: 12, expiryYear: 2040 },
        },
        customer,
        details: key.seal(merchant, SEALED_FIELDS.details, packTexts(details)),
        plan: {
          operation: 'sale',
          gates: [
            {
              alias: gate,
              descriptor: 'sim-a',
              gateDescriptor: 'sim-a',
              partialReversal: true,
              partialCapture: true,
              longestFlightMs: 5_000,
            },
          ],
          payerMs: 900_000,
          callbacks: ['callback'],
        },
        acceptedAt: at(number, 0),
        cardRefId: 'aabcdefghijklmnopqrc' as CardRefId,
        marks: { scenario: 'REGULAR', initiator: 'MERCHANT' },
      },
    },
    { type: 'AttemptStarted', data: { attemptKey, number: 1, gate, amount, issuer: { cardType: 'VISA' }, startedAt: at(number, 5) } },
    {
      type: 'AttemptApproved',
      data: {
        attemptKey,
        receipt: {
          transactionId: `PNTEST-${orderId}`,
          processedAt: at(number, 9),
          rrn: String(100_000_000 + number),
          terminalId: 'T0000001',
        },
        approvalCode: 'A1B2C3',
        answeredAt: at(number, 10),
      },
    },
    {
      type: 'OrderApproved',
      data: { attemptKey, amount, receiptId: 'abcdefghijklmnopqrstuvwx', callbacks: ['callback'], approvedAt: at(number, 10) },
    },
  ];
  const encoded = recurringCodec.encode(events, stream, 'no_stream', envelope(number, merchant));
  const final = encoded.at(-1) ?? encoded[0];
  const delivery = deliveryStream(final.id, 'callback');
  const told = { factId: final.id, target: 'callback', orderStream: stream, tries: 1, status: 200, deliveredAt: at(number, 20) } as const;
  const delivered = deliveryCodec.encode(
    [{ type: 'CallbackDelivered', data: told }],
    delivery,
    'no_stream',
    envelope(number, 'deliveries'),
  );
  return { clientOrderId, orderId, stream, events: encoded, delivery: { stream: delivery, events: delivered } };
};

const appendTo = async (store: EventStore, stream: StreamName, events: NonEmpty<NewEvent>): Promise<void> => {
  if ((await store.append(stream, 'no_stream', events)).kind !== 'appended') throw new Error(`${stream} was not new`);
};

/** A log as the service would have written it, with the vault that opens its texts. */
answerQuestions(async ({ dataDir, orders, sample }: Fill): Promise<Filled> => {
  const ringPath = join(dataDir, 'vault-keyring.json');
  if (!existsSync(ringPath)) createKeyRing(ringPath);
  const vault = await openSqliteVault({ path: join(dataDir, 'vault.sqlite'), keyRing: loadKeyRing(ringPath), clock: systemClock });
  const store = await EmbeddedEventStore.open({ path: join(dataDir, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  const customer = (await vault.takeKey()).seal(
    merchant,
    SEALED_FIELDS.customer,
    packTexts({ holder: 'JOHN SMITH', email: 'payer@example.com' }),
  );
  const sampled: { clientOrderId: string; orderId: string }[] = [];
  const every = Math.max(1, Math.floor(orders / sample));
  let next = 0;
  const write = async (): Promise<void> => {
    for (let number = next++; number < orders; number = next++) {
      const order = await orderOf(vault, customer, number);
      await appendTo(store, order.stream, order.events);
      await appendTo(store, order.delivery.stream, order.delivery.events);
      if (number % every === 0 && sampled.length < sample) sampled.push({ clientOrderId: order.clientOrderId, orderId: order.orderId });
    }
  };
  await Promise.all(Array.from({ length: UNDER_WAY_MAX }, write));
  await store.close();
  await vault.close();
  return { events: orders * EVENTS_PER_ORDER, sample: sampled };
});
