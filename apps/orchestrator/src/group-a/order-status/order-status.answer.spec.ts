import type { OrderSealer } from '@app/card-vault';
import { metadataOf, metadataWriter, type EventId, type Position, type Revision } from '@app/event-store';
import { accountsOf, type Accounts, type Merchant } from '@app/merchant-accounts';
import { packTexts } from '@app/order-processing/domain';
import { foldOrderStatus, type OrderEvent, type OrderStatusView } from '@app/projections';
import { afterAcceptance, attemptEvents, finalEvents, sampleCard, sampleOrder, sampleReceipt } from '@app/testing';
import { paymentStream } from '@app/payment';
import { PayerPages } from './payer-addresses';
import { StatusAnswer } from './order-status.answer';

const SERIAL = '00000000-0000-0000-0000-000000000001';
const order = sampleOrder();
const stream = paymentStream(order.merchant, order.clientOrderId);

const viewOf = (...events: readonly OrderEvent[]): OrderStatusView => {
  const envelope = { correlation: SERIAL, causation: SERIAL, actor: 'acme', merchant: 'acme', commandId: 'c' };
  let view: OrderStatusView | undefined;
  for (const [index, event] of events.entries()) {
    const metadata = metadataOf({ metadata: metadataWriter({ ...envelope, recordedAt: afterAcceptance(index) })(null, 1) });
    const place = { revision: BigInt(index) as Revision, position: String(index) as Position, id: `event-${index}` as EventId };
    view = foldOrderStatus(view, { stream, category: 'payment', event, metadata, ...place });
  }
  if (view === undefined) throw new Error('no events');
  return view;
};

const { started, approved } = attemptEvents;
const receipt = sampleReceipt({ payerAuthentication: 'AUTHENTICATED', eci: '05' });
const approvedWith = (brand: string, issuer?: { cardType: string }): OrderStatusView => {
  const card = sampleCard({ face: { ...sampleCard().face, brand } });
  const accepted: OrderEvent = { type: 'OrderAccepted', data: { ...order, card } };
  return viewOf(accepted, started(issuer && { issuer }), approved({ receipt }), finalEvents.approved());
};

const NONE = [] as unknown as Accounts['merchants'];
const sealer = { unseal: () => Promise.resolve(packTexts({ holder: 'JOHN SMITH' })) } as unknown as OrderSealer;
const answerOf = async (view: OrderStatusView, gates: readonly object[] = []): Promise<Readonly<Record<string, string>>> => {
  const accounts = accountsOf(NONE, gates as unknown as Accounts['gates'], []);
  const answer = new StatusAnswer({ sealer, accounts, pages: new PayerPages('https://gateway.example/paynet') });
  const merchant = { login: 'acme', showCommissions: true } as unknown as Merchant;
  return Object.fromEntries(await answer.pairs(view, merchant, { serial: SERIAL, askedSerial: undefined }));
};

describe('the answer to a status request (protocol decisions, section 2)', () => {
  it('tells the commissions of the gate, the acquirer’s where it differs', async () => {
    const commission = { ratePerTenThousand: 150, minCentis: 30 };
    const view = approvedWith('VISA');
    const alone = await answerOf(view, [{ alias: 'sim-a', commission }]);
    expect(alone['seller-commission']).toBe('0.30');
    expect(alone).not.toHaveProperty('acquirer-commission');
    const both = await answerOf(view, [{ alias: 'sim-a', commission, acquirerCommission: { ratePerTenThousand: 1_000, minCentis: 0 } }]);
    expect(both['acquirer-commission']).toBe('1.04');
  });

  it('tells all but the commissions of an order whose gate is no longer configured', async () => {
    const answer = await answerOf(approvedWith('VISA'));
    expect(answer).toMatchObject({
      type: 'status-response',
      status: 'approved',
      descriptor: 'ACME*SHOP',
      'original-gate-descriptor': 'test-a',
    });
    expect(answer).not.toHaveProperty('seller-commission');
  });

  it('tells amount and currency, but of an account verification, which has none', async () => {
    expect(await answerOf(approvedWith('VISA'))).toMatchObject({ amount: '10.42', currency: 'USD', 'initial-amount': '10.42' });
    const verification = {
      ...order,
      amount: { ...order.amount, minor: 0n },
      plan: { ...order.plan, operation: 'account-verification' as const },
    };
    const answer = await answerOf(
      viewOf({ type: 'OrderAccepted', data: { ...verification, card: sampleCard() } }, started(), approved(), finalEvents.approved()),
    );
    expect(answer).toMatchObject({ status: 'approved', 'transaction-type': 'account_verification', 'order-stage': 'av_approved' });
    for (const field of ['amount', 'currency', 'initial-amount']) expect(answer).not.toHaveProperty(field);
  });

  it.each([
    { brand: 'VISA', issuer: undefined, eci: '05' },
    { brand: 'MASTERCARD', issuer: undefined, eci: undefined },
    { brand: 'UNKNOWN', issuer: { cardType: 'VISA' }, eci: '05' },
    { brand: 'VISA', issuer: { cardType: 'MASTERCARD' }, eci: undefined },
  ])('has an eci for a card that it calls VISA: $brand, $issuer.cardType by the gate', async ({ brand, issuer, eci }) => {
    const answer = await answerOf(approvedWith(brand, issuer));
    expect(answer['eci']).toBe(eci);
    expect(answer['card-type']).toBe(issuer?.cardType ?? brand);
    expect(answer['verified-3d-status']).toBe('AUTHENTICATED');
  });
});
