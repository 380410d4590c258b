import type { OrderSealer } from '@app/card-vault';
import { metadataOf, metadataWriter, type EventId, type Position, type Revision } from '@app/event-store';
import { accountsOf, type Accounts, type BinData, type Merchant } from '@app/configuration';
import { ORDER_STATUS_FIELDS } from '@app/gateway-protocol';
import type { Sealed } from '@app/kernel';
import { foldOrderStatus, type OrderEvent, type OrderStatusView } from '@app/read-models';
import {
  afterAcceptance,
  ATTEMPT_KEY,
  attemptEvents,
  finalEvents,
  followUpEvents,
  PAYER_DUE_AT,
  sampleCard,
  sampleOrder,
  samplePlan,
  sampleReceipt,
  sampleReceivingCard,
  usd,
} from '@app/testing';
import { paymentStream } from '@app/payment';
import type { IssuerFacts } from '../domain/attempt.events';
import { packTexts, SEALED_FIELDS } from '../domain/accepted-order';
import { PayerPages } from './payer/payer-link';
import { OrderStatusAnswer } from './order-status.answer';

const SERIAL = '00000000-0000-0000-0000-000000000001';
const FOLLOW_UP_SERIAL = '00000000-0000-0000-0000-000000000002';
const order = sampleOrder();
const stream = paymentStream(order.merchant, order.clientOrderId);

const viewOf = (...events: readonly OrderEvent[]): OrderStatusView => {
  const envelope = { causation: SERIAL, actor: 'acme', merchant: 'acme', commandId: 'c' };
  let view: OrderStatusView | undefined;
  for (const [index, event] of events.entries()) {
    const correlation = event.type === 'FollowUpAccepted' ? FOLLOW_UP_SERIAL : SERIAL;
    const metadata = metadataOf({
      metadata: metadataWriter({ ...envelope, correlation, recordedAt: afterAcceptance(index) }, stream)(null, 1),
    });
    const place = { revision: BigInt(index) as Revision, position: String(index) as Position, id: `event-${index}` as EventId };
    view = foldOrderStatus(view, { stream, category: 'payment', event, metadata, ...place });
  }
  if (view === undefined) throw new Error('no events');
  return view;
};

const { started, approved } = attemptEvents;
const receipt = sampleReceipt({ payerAuthentication: 'AUTHENTICATED', eci: '05' });
const approvedWith = (brand: string, issuer?: IssuerFacts): OrderStatusView => {
  const card = sampleCard({ face: { ...sampleCard().face, brand } });
  const accepted: OrderEvent = { type: 'OrderAccepted', data: { ...order, card } };
  return viewOf(accepted, started(issuer && { issuer }), approved({ receipt }), finalEvents.approved());
};

const NONE = [] as unknown as Accounts['merchants'];
const TEXTS = packTexts({
  holder: 'JOHN SMITH',
  phone: '+12125550100',
  email: 'john.smith@example.com',
  firstName: 'John',
  lastName: 'Smith',
  country: 'US',
  state: 'CA',
  city: 'Springfield',
  zipCode: '12345',
  address1: '1 Main Street',
  merchantData: 'basket 7',
});
const PAGE = JSON.stringify({ action: 'https://bank.example/authentication', fields: {} });
const sealer = {
  unseal: (_merchant: string, field: string) => Promise.resolve(field === SEALED_FIELDS.payerPage ? PAGE : TEXTS),
} as unknown as OrderSealer;
const answerOf = async (
  view: OrderStatusView,
  gates: readonly object[] = [],
  askedSerial?: string,
  bins: readonly BinData[] = [],
  unknownStatus: Merchant['unknownStatus'] = 'processing',
): Promise<Readonly<Record<string, string>>> => {
  const accounts = accountsOf(NONE, gates as unknown as Accounts['gates'], bins);
  const answer = new OrderStatusAnswer({ sealer, accounts, pages: new PayerPages('https://gateway.example/paynet') });
  const merchant = { login: 'acme', showCommissions: true, unknownStatus } as unknown as Merchant;
  return Object.fromEntries(await answer.pairs(view, merchant, { serial: SERIAL, askedSerial }));
};

describe('the answer to a status request (protocol decisions, D2.9)', () => {
  it('can have every field', async () => {
    const issuer = {
      cardType: 'VISA',
      country: 'USA',
      bank: 'First Test Bank',
      productCode: 'F',
      productName: 'Visa Classic',
      typeCode: 'C',
      typeName: 'Credit',
    };
    // No real order has every member at once.
    const view: OrderStatusView = {
      ...approvedWith('VISA', issuer),
      receipt: sampleReceipt({
        terminalId: 'TERM0001',
        payerAuthentication: 'AUTHENTICATED',
        eci: '05',
        loyalty: { balance: '1200', message: 'thank you', bonus: '12', program: 'MILES' },
      }),
      destination: sampleReceivingCard(),
      randomSum: 'AUTHENTICATED',
      payer: { attemptKey: ATTEMPT_KEY, page: 'sealed-page' as Sealed, payerDueAt: PAYER_DUE_AT },
      code: 116,
      advice: 'ask your bank',
    };
    const gates = [{ alias: 'sim-a', commission: { ratePerTenThousand: 150, minCentis: 30 } }];
    const answer = await answerOf(view, gates, SERIAL, [{ bin: sampleReceivingCard().face.bin, country: 'DEU' }]);
    expect(ORDER_STATUS_FIELDS.filter((field) => !Object.hasOwn(answer, field))).toStrictEqual([]);
    expect(answer).toMatchObject({ 'loyalty-balance': '1200', 'loyalty-program': 'MILES' });
  });

  it.each(['processing', 'unknown'] as const)(
    'shows an unknown outcome according to the merchant’s setting: %s [W500]',
    async (unknownStatus) => {
      const view = viewOf({ type: 'OrderAccepted', data: order }, started(), attemptEvents.unknown());
      expect(await answerOf(view, [], undefined, [], unknownStatus)).toMatchObject({
        status: unknownStatus,
        'order-stage': 'sale_unknown',
      });
    },
  );

  it('shows both commissions at the gate’s rate, or the acquirer’s at its own configured rate [W219]', async () => {
    const commission = { ratePerTenThousand: 150, minCentis: 30 };
    const view = approvedWith('VISA');
    const alone = await answerOf(view, [{ alias: 'sim-a', commission }]);
    expect(alone['seller-commission']).toBe('0.30');
    expect(alone['acquirer-commission']).toBe('0.30');
    const both = await answerOf(view, [{ alias: 'sim-a', commission, acquirerCommission: { ratePerTenThousand: 1_000, minCentis: 0 } }]);
    expect(both['acquirer-commission']).toBe('1.04');
  });

  it('omits only the commissions if the gate is no longer configured', async () => {
    const answer = await answerOf(approvedWith('VISA'));
    expect(answer).toMatchObject({
      type: 'status-response',
      status: 'approved',
      descriptor: 'ACME*SHOP',
      'original-gate-descriptor': 'test-a',
    });
    expect(answer).not.toHaveProperty('seller-commission');
  });

  it('has neither amount nor commission for an account verification [W207]', async () => {
    const gates = [{ alias: 'sim-a', commission: { ratePerTenThousand: 150, minCentis: 30 } }];
    const plan = samplePlan({ operation: 'account-verification' });
    const accepted: OrderEvent = { type: 'OrderAccepted', data: { ...order, amount: usd(0n), plan } };
    const answer = await answerOf(
      viewOf(accepted, started({ amount: usd(0n) }), approved(), finalEvents.approved({ amount: usd(0n) })),
      gates,
    );
    expect(answer).toMatchObject({ status: 'approved', 'transaction-type': 'account_verification', 'order-stage': 'av_approved' });
    for (const absent of ['amount', 'currency', 'initial-amount', 'seller-commission']) expect(answer).not.toHaveProperty(absent);
    expect(await answerOf(approvedWith('VISA'), gates)).toMatchObject({ amount: '10.42', currency: 'USD', 'initial-amount': '10.42' });
  });

  it.each([
    { brand: 'VISA', issuer: undefined, eci: '05' },
    { brand: 'MASTERCARD', issuer: undefined, eci: undefined },
    { brand: 'UNKNOWN', issuer: { cardType: 'VISA' }, eci: '05' },
    { brand: 'VISA', issuer: { cardType: 'MASTERCARD' }, eci: undefined },
  ])('has an eci only if its card-type is VISA: brand $brand, $issuer.cardType by the gate [W49]', async ({ brand, issuer, eci }) => {
    const answer = await answerOf(approvedWith(brand, issuer));
    expect(answer['eci']).toBe(eci);
    expect(answer['card-type']).toBe(issuer?.cardType ?? brand);
    expect(answer['verified-3d-status']).toBe('AUTHENTICATED');
  });
});

describe('the status of an order with a follow-up (protocol decisions, D2.3 and D3.7)', () => {
  const followed = [
    { type: 'OrderAccepted' as const, data: order },
    started(),
    approved({ receipt }),
    finalEvents.approved(),
    followUpEvents.accepted({ amount: usd(500n) }),
    followUpEvents.started(),
  ];
  const own = sampleReceipt({ transactionId: 'PNTEST-F', rrn: '000000000009' });

  it('stays approved, with type and stage of the latest approved operation', async () => {
    expect(await answerOf(viewOf(...followed))).toMatchObject({
      status: 'approved',
      'transaction-type': 'sale',
      'order-stage': 'sale_approved',
    });
    const answer = await answerOf(viewOf(...followed, followUpEvents.approved({ receipt: own })));
    expect(answer).toMatchObject({
      status: 'approved',
      'transaction-type': 'reversal',
      'order-stage': 'reversal_approved',
      amount: '10.42',
      'processor-tx-id': 'PNTEST-1',
    });
  });

  it('shows the follow-up’s outcome for its serial-number, with the order’s amount [W33, W35, W236]', async () => {
    const declined = viewOf(...followed, followUpEvents.declined({ receipt: own, advice: 'ask your bank' }));
    const answer = await answerOf(declined, [], FOLLOW_UP_SERIAL);
    expect(answer).toMatchObject({
      status: 'declined',
      'transaction-type': 'reversal',
      'order-stage': 'reversal_declined',
      'error-code': '116',
      'motivational-message': 'ask your bank',
      'processor-tx-id': 'PNTEST-F',
      'processor-rrn': '000000000009',
      'transaction-date': '2024-01-01 01:00:00 UTC',
      amount: '10.42',
      'by-request-sn': FOLLOW_UP_SERIAL,
    });
    expect(answer).not.toHaveProperty('approval-code');
  });

  it('shows the order’s own outcome for its serial-number, even after a follow-up [W32]', async () => {
    const reversed = viewOf(...followed, followUpEvents.approved({ receipt: own }));
    const asOrdered = { status: 'approved', 'transaction-type': 'sale', 'order-stage': 'sale_approved', 'processor-tx-id': 'PNTEST-1' };
    expect(await answerOf(reversed, [], SERIAL)).toMatchObject({ ...asOrdered, 'by-request-sn': SERIAL });
    expect(await answerOf(reversed)).toMatchObject({ 'transaction-type': 'reversal', 'order-stage': 'reversal_approved' });
  });

  it.each([undefined, SERIAL, FOLLOW_UP_SERIAL])('shows the payer authentication for any serial-number: %s [W216]', async (serial) => {
    for (const view of [viewOf(...followed), viewOf(...followed, followUpEvents.approved({ receipt: own }))])
      expect(await answerOf(view, [], serial)).toMatchObject({ 'verified-3d-status': 'AUTHENTICATED', eci: '05' });
  });

  it('is processing for the serial-number of an open follow-up, with its stage [W194, W500]', async () => {
    const underWay = await answerOf(viewOf(...followed), [], FOLLOW_UP_SERIAL);
    expect(underWay).toMatchObject({ status: 'processing', 'order-stage': 'reversal_processing' });
    for (const field of ['transaction-date', 'processor-tx-id', 'approval-code', 'receipt-id']) expect(underWay).not.toHaveProperty(field);
    const unknown = await answerOf(viewOf(...followed, followUpEvents.unknown()), [], FOLLOW_UP_SERIAL);
    expect(unknown).toMatchObject({ status: 'processing', 'order-stage': 'reversal_unknown' });
  });
});
