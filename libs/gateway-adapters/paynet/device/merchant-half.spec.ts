import {
  checkSaleSignature,
  checkTransferSignature,
  checkVerificationSignature,
  notificationSignature,
  type DeviceOperation,
} from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import fc from 'fast-check';
import { deviceSession, type DeviceAccount } from './device-account';
import { MerchantHalf } from './merchant-half';

const INVOICE = '6f1e8a60-0000-4000-8000-000000000001';
const OTHER_INVOICE = '6f1e8a60-0000-4000-8000-000000000002';
const TOKEN = 'aaaaaaaa-0000-4000-8000-000000000009';
const OPERATIONS: readonly DeviceOperation[] = ['verification', 'sale', 'transfer'];
const account: DeviceAccount = { endpointId: '7001', controlKey: new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20') };
const other: DeviceAccount = { ...account, controlKey: new Secret('A17F59B4-A7DC-41B4-8FF9-37D986B43D20') };
const half = new MerchantHalf(account);

const sessionOf = (operation: DeviceOperation, by = account) => deviceSession(by, operation, INVOICE, 'SN-1');
const ask = (path: readonly string[], body: unknown, method = 'POST') =>
  half.answer({ method, path, body: typeof body === 'string' ? body : JSON.stringify(body) });
const checkOf = (operation: DeviceOperation, session: object = {}, more: object = {}) => ({
  consumer: { device: { serialNumber: 'SN-1' } },
  session: { ...sessionOf(operation), signature: 'S'.repeat(40), token: TOKEN, ...session },
  ...more,
});
const check = (operation: DeviceOperation, session: object = {}, more: object = {}) =>
  ask([operation, INVOICE, 'check'], checkOf(operation, session, more));
const CARD = { bin: 444_433, reference: { serverCardId: 'c-1', uniqueReferenceCardId: 7 } };
const notificationOf = (operation: DeviceOperation, session: object = {}) => {
  const { accessToken, nonce } = sessionOf(operation);
  return {
    consumer: { device: { serialNumber: 'SN-1' } },
    session: { accessToken, nonce, token: TOKEN, ...session },
    sourceCard: CARD,
    ...(operation === 'verification' && { reference: CARD.reference }),
  };
};

const signed = (operation: DeviceOperation) => ({
  serialNumber: 'SN-1',
  nonce: sessionOf(operation).nonce,
  endpointId: '7001',
  invoiceId: INVOICE,
});
const SIGNATURES = { verification: checkVerificationSignature, sale: checkSaleSignature, transfer: checkTransferSignature };

describe('a check by the upstream gateway', () => {
  it.each(OPERATIONS)('is confirmed for an order that we performed: %s', (operation) => {
    const answered = check(operation);
    expect(answered).toMatchObject({ reply: { status: 200, contentType: 'application/json;charset=utf-8' } });
    expect(JSON.parse(answered?.reply.body ?? '')).toStrictEqual({
      invoiceId: INVOICE,
      session: {
        checkSignature: SIGNATURES[operation](signed(operation), account.controlKey),
        nonce: sessionOf(operation).nonce,
        token: TOKEN,
      },
    });
    expect(answered).not.toHaveProperty('notified');
  });

  it('gets the same answer from another instance', () => {
    const again = new MerchantHalf({ ...account });
    const body = JSON.stringify(checkOf('transfer'));
    expect(again.answer({ method: 'POST', path: ['transfer', INVOICE, 'check'], body })).toStrictEqual(check('transfer'));
  });

  it.each<[string, () => ReturnType<typeof ask>]>([
    ['an access token of another key', () => check('sale', { accessToken: sessionOf('sale', other).accessToken })],
    ['an unknown access token', () => check('sale', { accessToken: 'a'.repeat(100) })],
    ['a nonce of another key', () => check('sale', { nonce: sessionOf('sale', other).nonce })],
    ['the nonce of another operation', () => check('sale', { nonce: sessionOf('transfer').nonce })],
    ['another device', () => check('sale', {}, { consumer: { device: { serialNumber: 'SN-2' } } })],
    ['another invoice in the path', () => ask(['sale', OTHER_INVOICE, 'check'], checkOf('sale'))],
    ['a source that we did not name by reference', () => check('sale', {}, { sourceOfFunds: { reference: { clientCardId: 'c' } } })],
    ['such a destination', () => check('transfer', {}, { destinationOfFunds: { reference: { clientCardId: 'c' } } })],
  ])('is refused with 403 and an empty body for %s', (_, asking) => {
    expect(asking()).toStrictEqual({ reply: { status: 403 } });
  });

  it.each([
    ['no JSON', 'accessToken=1'],
    ['nothing', ''],
    ['a session without a token', { ...checkOf('sale'), session: sessionOf('sale') }],
    ['no device', { session: checkOf('sale').session }],
  ])('is refused with 400 and an empty body if it breaks the interface: %s', (_, body) => {
    expect(ask(['sale', INVOICE, 'check'], body)).toStrictEqual({ reply: { status: 400 } });
  });
});

describe('a card mapping notification by the upstream gateway', () => {
  it.each(OPERATIONS)('is acknowledged for an order that we performed, and reports its invoice as notified: %s', (operation) => {
    const { nonce } = sessionOf(operation);
    for (const path of [
      [operation, 'notification'],
      [operation, INVOICE, 'notification'],
    ]) {
      const answered = ask(path, notificationOf(operation));
      expect(answered).toMatchObject({ reply: { status: 200 }, notified: INVOICE });
      expect(JSON.parse(answered?.reply.body ?? '')).toStrictEqual({
        invoiceId: INVOICE,
        session: {
          checkSignature: notificationSignature({ nonce, endpointId: '7001', invoiceId: INVOICE }, account.controlKey),
          nonce,
          token: TOKEN,
        },
      });
    }
  });

  it('is accepted without a nonce, since the interface defines none there', () => {
    expect(ask(['sale', 'notification'], notificationOf('sale', { nonce: undefined }))).toMatchObject({ reply: { status: 200 } });
  });

  it.each<[string, readonly string[], object]>([
    ['an access token of another key', ['sale', 'notification'], { accessToken: sessionOf('sale', other).accessToken }],
    ['the nonce of another operation', ['sale', 'notification'], { nonce: sessionOf('transfer').nonce }],
    ['another invoice in the path', ['sale', OTHER_INVOICE, 'notification'], {}],
  ])('is refused with 403 and an empty body for %s', (_, path, session) => {
    expect(ask(path, notificationOf('sale', session))).toStrictEqual({ reply: { status: 403 } });
  });

  it('is refused with 400 and an empty body if it breaks the interface', () => {
    expect(ask(['verification', 'notification'], notificationOf('sale'))).toStrictEqual({ reply: { status: 400 } });
  });
});

describe('other requests to the merchant half', () => {
  it.each([
    ['the address itself', []],
    ['only an operation', ['sale']],
    ['another operation', ['payout', INVOICE, 'check']],
    ['an initiate', ['transfer', 'initiate-transfer']],
    ['more than a check', ['sale', INVOICE, 'check', 'x']],
    ['only an operation and an invoice', ['sale', INVOICE]],
  ])('are not answered if the path is %s', (_, path) => {
    expect(ask(path, checkOf('sale'))).toBeUndefined();
  });

  it('are not answered if the method is GET', () => {
    expect(ask(['sale', INVOICE, 'check'], '', 'GET')).toBeUndefined();
  });

  it('never throw and never get a confirmation, with arbitrary paths and bodies', () => {
    const paths = fc.array(fc.oneof(fc.constantFrom('sale', 'check', 'notification', INVOICE), fc.string()), { maxLength: 4 });
    fc.assert(
      fc.property(paths, fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (path, body) => {
        expect(ask(path, body)?.reply.status ?? 403).not.toBe(200);
      }),
    );
  });
});
