import { SaleStatusResponse, readDeviceMessage, TransferStatusResponse, VerificationStatusResponse } from '@app/gateway-protocol';
import type { OrderStatusView } from '@app/read-models';
import { streamName } from '@app/event-store';
import { ACCEPTED_AT, afterAcceptance, ATTEMPT_KEY, usd } from '@app/testing';
import type { DeviceOrderSeen } from '@app/read-models/queries';
import { PayerPages } from '../payer/payer-link';
import { deviceStatusAnswer } from './device-status.answer';

const TOKEN = '33333333-3333-4333-8333-333333333333';
const pages = new PayerPages('https://gateway.example/paynet');
const MESSAGES = { verification: VerificationStatusResponse, sale: SaleStatusResponse, transfer: TransferStatusResponse };

const order = (view: Partial<OrderStatusView>, more: Partial<DeviceOrderSeen> = {}): DeviceOrderSeen => ({
  stream: streamName('transfer', 'acme', 'inv-1'),
  view: {
    clientOrderId: 'inv-1',
    orderId: 'tsample0order01r',
    status: 'processing',
    amountMinor: '1042',
    currency: 'USD',
    acceptedAt: ACCEPTED_AT,
    processingAt: null,
    receipt: null,
    commissionMinor: null,
    randomSum: null,
    payer: null,
    code: null,
    ...view,
  } as OrderStatusView,
  accepted: {} as DeviceOrderSeen['accepted'],
  ...more,
});
const answer = (given: DeviceOrderSeen, operation: keyof typeof MESSAGES = 'sale') => {
  const returned = deviceStatusAnswer(operation, { order: given, token: TOKEN, pages });
  if (returned.kind === 'failed') return returned;
  const body = JSON.parse(JSON.stringify(returned.body)) as object;
  expect(readDeviceMessage<object>(MESSAGES[operation], body)).toHaveProperty('ok');
  return body;
};
const ALWAYS = { invoiceId: 'inv-1', session: { token: TOKEN } };
const CREATED = '2024-01-01 00:00:00 UTC';
const transaction = { amountCentis: 1_042, currency: 'USD', orderCreatedDate: CREATED, transactionCreatedDate: CREATED };
const PAYMENT = { ...ALWAYS, orderId: 'tsample0order01r', transaction };
const receipt = { transactionId: 'PNTEST-1' };
const fees = [
  { assignedId: 'sim-a', commission: usd(30n) },
  { assignedId: 'sim-b', commission: usd(200n) },
] as const;

describe('states and their members (interface, sections 3.2 and 4.7)', () => {
  it.each(['processing', 'unknown', 'chain_declined'] as const)(
    '%s is PROCESSING, with orderId and dates in the first answer [W55, W392]',
    (status) => {
      expect(answer(order({ status }))).toStrictEqual({ ...PAYMENT, state: 'PROCESSING' });
    },
  );

  it('a verification has no orderId and no transaction [W123]', () => {
    expect(answer(order({}), 'verification')).toStrictEqual({ ...ALWAYS, state: 'PROCESSING' });
  });

  it('REDIRECT_REQUEST has a redirectUrl of at most 128 characters [W56]', () => {
    const payer = { attemptKey: ATTEMPT_KEY } as OrderStatusView['payer'];
    const { redirectUrl, state } = answer(order({ payer })) as { redirectUrl: string; state: string };
    expect([state, redirectUrl]).toStrictEqual(['REDIRECT_REQUEST', pages.startUrl(order({}).stream, ATTEMPT_KEY)]);
    expect(redirectUrl.length).toBeLessThanOrEqual(128);
  });

  it('APPROVED has the gate’s transaction as bankOrderId and the start of processing as date [W57, W118, W126, W391]', () => {
    expect(answer(order({ status: 'approved', receipt, processingAt: afterAcceptance(2_000) }))).toStrictEqual({
      ...PAYMENT,
      transaction: { ...transaction, transactionCreatedDate: '2024-01-01 00:00:02 UTC' },
      state: 'APPROVED',
      bankOrderId: 'PNTEST-1',
    });
  });

  it('APPROVED has the order id as bankOrderId if the gate gave no transaction id', () => {
    const named = { ...receipt, transactionId: '' } as OrderStatusView['receipt'];
    expect(answer(order({ status: 'approved', receipt: named }))).toMatchObject({ bankOrderId: 'tsample0order01r' });
  });

  it('DECLINED has errorCode, errorMessage, and the order id if no gate was called [W58, W120, W391]', () => {
    expect(answer(order({ status: 'declined', code: 110 }))).toMatchObject({
      state: 'DECLINED',
      bankOrderId: 'tsample0order01r',
      errorCode: 110,
      errorMessage: expect.stringMatching(/.{3,128}/),
    });
  });

  it('DECLINED has the fixed commission, or 0 if there is none [W520]', () => {
    expect(answer(order({ status: 'declined', code: 100 }))).toMatchObject({ transaction: { commissionCentis: 0 } });
    expect(answer(order({ status: 'declined', code: 100, commissionMinor: '30' }))).toMatchObject({
      transaction: { commissionCentis: 30 },
    });
    expect(answer(order({ status: 'declined', code: 100 }), 'verification')).not.toHaveProperty('transaction');
    for (const status of ['processing', 'approved'] as const)
      expect(answer(order({ status, receipt }))).not.toHaveProperty('transaction.commissionCentis');
  });

  it('every state of a sale and a transfer has transaction.currency [W521]', () => {
    for (const operation of ['sale', 'transfer'] as const)
      for (const status of ['processing', 'approved', 'declined'] as const)
        expect(answer(order({ status, receipt }), operation)).toMatchObject({ transaction: { currency: 'USD' } });
  });

  it.each([
    ['filtered', 'FILTERED'],
    ['error', 'PROCESSING_FAILED'],
  ] as const)('a status of %s is the error %s [W160, W384]', (status, cause) => {
    expect(answer(order({ status, code: 120 }))).toMatchObject({ kind: 'failed', cause });
  });

  it('TRANSFER_FEE_REQUEST lists the gates’ fees until one is chosen [W59, W127, W393]', () => {
    expect(answer(order({}, { fees }), 'transfer')).toStrictEqual({
      ...PAYMENT,
      state: 'TRANSFER_FEE_REQUEST',
      transferFeeList: [
        { assignedId: 'sim-a', commissionCentis: 30, currency: 'USD' },
        { assignedId: 'sim-b', commissionCentis: 200, currency: 'USD' },
      ],
    });
    expect(answer(order({ commissionMinor: '200' }, { fees, isFeeChosen: true }), 'transfer')).toStrictEqual({
      ...PAYMENT,
      transaction: { ...transaction, commissionCentis: 200 },
      state: 'PROCESSING',
    });
    expect(answer(order({ status: 'declined', code: 110 }, { fees }), 'transfer')).toMatchObject({ state: 'DECLINED' });
  });

  it.each([
    ['AUTHENTICATED', 'AUTHENTICATED'],
    ['NOT_AUTHENTICATED', 'NOT_AUTHENTICATED'],
    ['UNSUPPORTED', 'UNSUPPORTED'],
    ['UNKNOWN', 'UNSUPPORTED'],
  ] as const)('secure3DAuthStatus for a payer authentication of %s is %s [W63, W121]', (payerAuthentication, secure3DAuthStatus) => {
    expect(answer(order({ status: 'approved', receipt: { ...receipt, payerAuthentication } }))).toMatchObject({ secure3DAuthStatus });
  });

  it.each(['AUTHENTICATED', 'NOT_AUTHENTICATED'] as const)(
    'randomSumAuthStatus is %s for this result of the random sum [W64, W122]',
    (randomSum) => {
      expect(answer(order({ randomSum }))).toMatchObject({ randomSumAuthStatus: randomSum });
    },
  );
});
