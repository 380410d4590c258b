import { paymentSignature, PerformTransferRequest, readDeviceMessage, verificationSignature } from '@app/gateway-protocol';
import {
  Secret,
  type AttemptKey,
  type ClientOrderId,
  type Currency,
  type EndpointId,
  type MerchantLogin,
  type Money,
  type OrderId,
} from '@app/kernel';
import type { Payer, PayerDevice, Purchase, VerifyRequest } from '../../contract';
import { deviceSession, type DeviceAccount } from './device-account';
import { performRequest } from './device-orders';
import { performFields, type PerformedOrder } from './perform-fields';

const KEY = '6f1e8a60-0000-4000-8000-000000000001' as AttemptKey;
const account: DeviceAccount = { endpointId: '7001', controlKey: new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20') };
const USD = 'USD' as Currency;
const amount: Money = { minor: 1_042n, currency: USD };
const DEVICE: PayerDevice = {
  serialNumber: 'SN-1',
  imei: '12345678901234',
  ipAddresses: ['192.0.2.1', '192.0.2.2'],
  latitude: '56.9',
  longitude: '-24.1',
  street2: 'b',
};
const PAYER: Payer = {
  firstName: 'Kim',
  lastName: 'Lee',
  email: 'kim@example.com',
  phone: '371',
  country: 'LV',
  state: 'RI',
  city: 'Riga',
  zipCode: '1001',
  address1: 'One 1',
  birthday: '19991231',
};
const PURCHASE: Purchase = { description: 'shoes', siteUrl: 'shop.example', purpose: 'walk' };

const order = ({
  operation = 'sale',
  payer = PAYER,
  purchase = PURCHASE,
  device = DEVICE,
  holder = 'Kim Lee',
}: {
  operation?: PerformedOrder['operation'];
  payer?: Payer;
  purchase?: Purchase;
  device?: PayerDevice;
  holder?: string;
} = {}): PerformedOrder => {
  const request: VerifyRequest = {
    key: KEY,
    orderId: 'order' as OrderId,
    merchant: 'acme' as MerchantLogin,
    endpointId: '1001' as EndpointId,
    clientOrderId: 'invoice-here' as ClientOrderId,
    card: new Secret({ number: '4444333322221111', expiryMonth: 12, expiryYear: 2030, holder }),
    descriptor: 'test',
    texts: { payer: new Secret(payer), purchase: new Secret(purchase), device: new Secret(device) },
  };
  return {
    operation,
    request,
    currency: USD,
    amount: operation === 'verification' ? undefined : amount,
    device,
    cvv: new Secret('123'),
    ...(operation === 'transfer' && { destination: new Secret({ number: '5555555555554444' }) }),
  };
};
const { accessToken, nonce } = deviceSession(account, 'sale', KEY, 'SN-1');
const card = { number: '4444333322221111', securityCode: '123', expiry: { month: 12, year: 2030 }, holder: { printedName: 'Kim Lee' } };
const signed = { accessToken, serialNumber: 'SN-1', endpointId: '7001', nonce, invoiceId: KEY, currency: 'USD' };

describe('the fields of a perform request', () => {
  it('contain all data of the consumer under the interface’s names, with the derived session', () => {
    expect(performFields(account, order())).toStrictEqual({
      consumer: {
        device: { serialNumber: 'SN-1', imei: '12345678901234' },
        ipAddresses: ['192.0.2.1', '192.0.2.2'],
        email: 'kim@example.com',
        birthDay: '31121999',
      },
      session: { accessToken, nonce, signature: paymentSignature({ ...signed, amountCentis: 1_042 }, account.controlKey) },
      location: { lat: 56.9, lng: -24.1 },
      billing: { address: { city: 'Riga', country: 'LVA', postcodeZip: '1001', state: 'RI', street: 'One 1', street2: 'b' }, phone: '371' },
      order: { description: 'shoes', siteUrl: 'shop.example', purpose: 'walk' },
      transaction: { currency: 'USD', amountCentis: 1_042 },
      sourceOfFunds: { card },
    });
  });

  it('of a transfer contain the destination card', () => {
    expect(performFields(account, order({ operation: 'transfer' }))).toMatchObject({
      sourceOfFunds: { card },
      destinationOfFunds: { card: { number: '5555555555554444' } },
    });
  });

  it('of a verification contain no amount, and their signature covers none', () => {
    const session = deviceSession(account, 'verification', KEY, 'SN-1');
    expect(performFields(account, order({ operation: 'verification' }))).toMatchObject({
      session: { ...session, signature: verificationSignature({ ...signed, ...session }, account.controlKey) },
      transaction: { currency: 'USD' },
      sourceCard: card,
    });
  });

  it('omit absent data of the consumer', () => {
    const body = performFields(account, order({ payer: { email: 'kim@example.com' }, purchase: {}, device: { serialNumber: 'SN-1' } }));
    expect(JSON.parse(JSON.stringify(body))).toStrictEqual({
      consumer: { device: { serialNumber: 'SN-1' }, email: 'kim@example.com' },
      session: expect.any(Object) as object,
      transaction: { currency: 'USD', amountCentis: 1_042 },
      sourceOfFunds: { card },
    });
  });

  it('use first and last name if the printed holder name is too long', () => {
    const [firstName, lastName] = ['A'.repeat(30), 'B'.repeat(30)];
    const holder = `${firstName} ${lastName}`;
    const body = performFields(account, order({ payer: { ...PAYER, firstName, lastName }, holder }));
    expect(body).toMatchObject({ sourceOfFunds: { card: { holder: { firstName, lastName } } } });
    expect(performRequest({ operation: 'sale', endpointId: '7001', invoiceId: KEY }, body)).toBeDefined();
  });

  it.each(['verification', 'sale', 'transfer'] as const)('satisfy every constraint of the interface: %s', (operation) => {
    const body = JSON.parse(JSON.stringify(performFields(account, order({ operation })))) as object;
    const request = performRequest({ operation, endpointId: '7001', invoiceId: KEY }, body);
    expect(request).toMatchObject({
      method: 'POST',
      path: `/dapi/v1/${operation}/7001/${KEY}`,
      headers: { 'content-type': 'application/json;charset=utf-8', accept: 'application/json' },
    });
    expect(JSON.parse(request?.body ?? '')).toStrictEqual(body);
    if (operation === 'transfer') expect(readDeviceMessage(PerformTransferRequest, body)).toHaveProperty('ok');
  });

  it('that break a constraint make no request', () => {
    const long = performFields(account, order({ payer: { ...PAYER, phone: '1'.repeat(21) } }));
    expect(performRequest({ operation: 'sale', endpointId: '7001', invoiceId: KEY }, long)).toBeUndefined();
  });
});
