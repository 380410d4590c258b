import {
  DeviceClient,
  HttpTransport,
  type CardDetails,
  type DeviceOrder,
  type DeviceStatus,
  type DeviceSession,
  type Source,
  type TransactionListener,
  type Call,
  type Received,
  type Transport,
} from '@app/device-client';
import type { ClientIdsResponse, TransferFee } from '@app/gateway-protocol';
import { Secret, systemScheduler } from '@app/kernel';
import type { TourVisit, TourReport, Fields } from './visit';

const jsonFields = (text: string): Fields => {
  try {
    return flattened('', JSON.parse(text) as unknown);
  } catch {
    return [];
  }
};

const flattened = (path: string, value: unknown): (readonly [string, string])[] => {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, member]) => flattened(path === '' ? name : `${path}.${name}`, member));
};

const STATUS_PATH = '/status';

class ShownTransport implements Transport {
  #lastStatus = '';

  constructor(
    private readonly transport: Transport,
    private readonly report: TourReport,
  ) {}

  async send(call: Call): Promise<Received> {
    const startedAt = performance.now();
    const received = await this.transport.send(call);
    const body = received.kind === 'received' ? Buffer.from(received.body).toString('utf8') : '';
    if (call.url.endsWith(STATUS_PATH)) {
      if (body === this.#lastStatus) return received;
      this.#lastStatus = body;
    }
    this.report.request(call.method, call.url, jsonFields(call.body ?? ''));
    const head = received.kind === 'no-answer' ? received.reason : `HTTP ${received.httpStatus}`;
    this.report.answer(`${head}, ${(performance.now() - startedAt).toFixed(0)} ms`, jsonFields(body));
    return received;
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}

/** Faster than apps in the field, which poll every 3 to 5 s (protocol decisions, section 8): a visitor waits for this. */
const CADENCE = { gapMsMin: 50, gapMsMax: 100, limitMs: 40_000, payerLimitMs: 40_000 };
const ANSWER_TIMEOUT_MS = 15_000;
/** The simulator approves (protocol decisions, section 9). */
const SECURITY_CODE = '123';
export const securityCode = (): Secret<string> => new Secret(SECURITY_CODE);

export const PAYING_CARD = '4444333322221111';
const RECEIVING_CARD = '5555444433331111';

const cardInHand = (): CardDetails => ({
  number: new Secret(PAYING_CARD),
  securityCode: securityCode(),
  expiry: { month: 12, year: 2035 },
  holder: { printedName: 'JOHN SMITH' },
});

export interface ApprovedRun {
  readonly invoiceId: string;
  readonly status: DeviceStatus;
  readonly cards: ClientIdsResponse;
}

/** Name by which the app uses the source card again. */
export const sourceNameOf = ({ cards }: ApprovedRun): string => cards.sourceCard?.reference.clientCardId ?? '';

export class DeviceVisit {
  readonly client: DeviceClient;

  constructor(
    readonly visit: TourVisit,
    readonly addresses: { readonly gatewayUrl: string; readonly merchantUrl: string },
  ) {
    this.client = new DeviceClient({
      ...addresses,
      device: { serialNumber: this.serialNumber },
      cadence: CADENCE,
      transport: new ShownTransport(new HttpTransport(systemScheduler, ANSWER_TIMEOUT_MS), visit.report),
    });
  }

  get serialNumber(): string {
    return `phone-of-${this.visit.visitId}`;
  }

  /** New in every visit, since a merchant server keeps the cards of its consumers. */
  get email(): string {
    return `${this.visit.visitId}@example.com`;
  }

  /** @throws TourFailed if the merchant server gives no access token */
  async signIn(): Promise<DeviceSession> {
    const signed = await this.client.signIn({ email: this.email });
    this.visit.claim('the merchant server knows its consumer, and gives an access token', signed.kind === 'answered');
    return signed.value;
  }

  sale(source: Source, amountCentis: bigint): DeviceOrder {
    return { operation: 'sale', currency: 'USD', email: this.email, amountCentis, source };
  }

  /** Runs an order to its end. @throws TourFailed if it is not approved, or the app does not receive its cards */
  async approved(session: DeviceSession, order: DeviceOrder, watcher: TransactionListener = {}): Promise<ApprovedRun> {
    const run = await session.run(order, watcher);
    this.visit.claim('approved', run.step === 'follow' && run.ending.kind === 'final' && run.ending.status.state === 'APPROVED');
    const { ending, cards } = run;
    this.visit.claim(
      'the app learns by what name it may use the card again',
      cards?.kind === 'answered' && cards.value.sourceCard !== undefined,
    );
    return { invoiceId: run.invoice.invoiceId, status: ending.status, cards: cards.value };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

export const arrive = async (device: DeviceVisit): Promise<DeviceSession> => {
  device.visit.report.step(
    'A device verifies a card',
    `Three programs from here on: an app, the merchant server at ${device.addresses.merchantUrl}, the gateway. The app takes an invoice there, and acts on it here.`,
  );
  return device.signIn();
};

export const verifyCard = (device: DeviceVisit, session: DeviceSession): Promise<ApprovedRun> =>
  device.approved(session, { operation: 'verification', currency: 'USD', email: device.email, card: cardInHand() });

export const payWithCard = async (device: DeviceVisit, session: DeviceSession, clientCardId: string): Promise<ApprovedRun> => {
  device.visit.report.step('A device buys', 'The same way with an amount. The gateway asks the merchant server before it asks a gate.');
  const bought = await device.approved(session, device.sale({ card: cardInHand() }, 1_042n));
  device.visit.claim('a card keeps its name', bought.cards.sourceCard?.reference.clientCardId === clientCardId);
  return bought;
};

const payByReference = async (device: DeviceVisit, session: DeviceSession, clientCardId: string): Promise<void> => {
  device.visit.report.step(
    'It buys again, by reference',
    'No card data leaves the device: the merchant server sends the gateway the card that the name stands for.',
  );
  const bought = await device.approved(session, device.sale({ reference: { clientCardId } }, 550n));
  device.visit.claim('it is the same card', bought.cards.sourceCard?.reference.clientCardId === clientCardId);
};

export const transferBetweenCards = async (device: DeviceVisit, session: DeviceSession, source: Source): Promise<ApprovedRun> => {
  device.visit.report.step(
    'Money from card to card',
    'Endpoint 1004 lets the consumer choose among the fees of its gates; nothing moves before.',
  );
  const chosen: TransferFee[] = [];
  const moved = await device.approved(
    session,
    {
      operation: 'transfer',
      currency: 'USD',
      email: device.email,
      amountCentis: 25_000n,
      source,
      destination: { card: { number: new Secret(RECEIVING_CARD) } },
      toBin: RECEIVING_CARD.slice(0, 6),
    },
    {
      chooseFee: (fees) => {
        device.visit.claim('two fees are offered', fees.length === 2);
        const cheapest = fees.reduce((least, fee) => (fee.commissionCentis < least.commissionCentis ? fee : least));
        chosen.push(cheapest);
        return cheapest;
      },
    },
  );
  const commissionCentis = 'transaction' in moved.status ? moved.status.transaction.commissionCentis : undefined;
  device.visit.claim('the fee is the one chosen', commissionCentis !== undefined && commissionCentis === chosen[0]?.commissionCentis);
  device.visit.claim('the card that received has a name too', moved.cards.destinationCard !== undefined);
  return moved;
};

const forgeAmount = async (device: DeviceVisit, session: DeviceSession): Promise<void> => {
  device.visit.report.step('A wrong signature', 'Somebody changes the amount that the merchant server signed.');
  const signedFor = await session.initiate(device.sale({ card: cardInHand() }, 1_042n));
  device.visit.claim('an invoice of 10.42 is open', signedFor.kind === 'answered');
  const refused = await session.perform(device.sale({ card: cardInHand() }, 42n), signedFor.value);
  device.visit.claim('the gateway refuses 0.42 on it', refused.kind === 'refused' && refused.cause === 'INVALID_REQUEST');
};

export interface DeviceTourOrders {
  readonly invoiceId: string;
  readonly clientCardId: string;
  readonly serialNumber: string;
  readonly email: string;
}

export const deviceTour = async (device: DeviceVisit): Promise<DeviceTourOrders> => {
  const session = await arrive(device);
  const clientCardId = sourceNameOf(await verifyCard(device, session));
  await payWithCard(device, session, clientCardId);
  await payByReference(device, session, clientCardId);
  const { invoiceId } = await transferBetweenCards(device, session, { reference: { clientCardId } });
  await forgeAmount(device, session);
  return { invoiceId, clientCardId, serialNumber: device.serialNumber, email: device.email };
};
