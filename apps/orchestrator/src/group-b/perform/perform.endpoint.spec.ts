import { inspect } from 'node:util';
import { resolve } from 'node:path';
import { Secret, type BootId, type ContentDigest, type OrderId } from '@app/kernel';
import type { Gates } from '@app/gateway-adapters/contract';
import {
  paymentSignature,
  PerformSaleRequest,
  PerformTransferRequest,
  PerformVerificationRequest,
  readDeviceMessage,
  verificationSignature,
} from '@app/gateway-protocol';
import { configurationFrom } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { Performed, PerformRefused, PerformRequest } from '@app/order-processing';
import { VirtualClock } from '@app/testing';
import type { DeviceAnswer, DeviceEndpoint } from '../device-endpoint';
import type { PerformMessage } from './perform-texts';
import { KeysOfUnknownMerchants } from '../../request/unknown-merchants/keys-of-unknown-merchants';
import { PERFORM_SALE, PERFORM_TRANSFER, PERFORM_VERIFICATION, PerformEndpoint, type PerformPorts } from './perform.endpoint';

const KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const OTHER_KEY = '0F0E0D0C-0B0A-0908-0706-050403020100';
const CARD_NUMBER = '4444333322221111';
const RECEIVING_NUMBER = '5555555555554444';
const CONFIGURATION = `
publicBaseUrl: http://127.0.0.1:8080
merchants:
  - login: acme
    controlKey: ${KEY}
    merchantUrl: https://shop.example
    endpoints:
      - { id: '1001', currency: USD, gates: [sim-a] }
      - { id: '1002', currency: USD, gates: [sim-a, sim-b], transferRates: consumer, randomSum: required }
      - { id: '1003', currency: USD, gates: [sim-a], operations: [sale] }
      - { id: '1004', currency: USD, gates: [sim-cvv], maxAmount: '10.00' }
      - { id: '1005', currency: USD, gates: [sim-a], consumerEmail: optional }
    groups: [{ id: '2001', endpoints: ['1001'] }]
  - login: other
    controlKey: ${OTHER_KEY}
    endpoints: [{ id: '9001', currency: USD, gates: [sim-a] }]
gates:
  - { alias: sim-a, adapter: simulator, currencies: [USD] }
  - { alias: sim-b, adapter: simulator, currencies: [USD] }
  - { alias: sim-cvv, adapter: simulator, currencies: [USD], cvvRequired: true }
`;
const { accounts } = configurationFrom(CONFIGURATION, { source: 'test', folder: resolve('.'), environment: {}, adapters: GATE_ADAPTERS });
/** What every configured gate can do. */
const able = { charging: {}, verifying: {}, transferring: {} };

const signed = (body: Readonly<Record<string, unknown>>, endpointId: string, invoiceId: string, key = KEY): object => {
  const { consumer, session, transaction } = body as {
    consumer: { device: { serialNumber: string } };
    session: { accessToken: string; nonce: string };
    transaction: { currency: string; amountCentis?: number };
  };
  const { accessToken, nonce } = session;
  const { currency, amountCentis } = transaction;
  const values = { accessToken, nonce, serialNumber: consumer.device.serialNumber, endpointId, invoiceId, currency };
  const secret = new Secret(key);
  const signature =
    amountCentis === undefined ? verificationSignature(values, secret) : paymentSignature({ ...values, amountCentis }, secret);
  return { ...body, session: { ...session, signature } };
};

const COMMON = {
  consumer: {
    device: { serialNumber: 'SN-1', imei: '12345678901234' },
    email: 'kim@example.com',
    birthDay: '31121999',
    ipAddresses: ['192.0.2.1', '192.0.2.2'],
  },
  session: { accessToken: 'a'.repeat(64), nonce: 'n'.repeat(64) },
  location: { lat: 56.9, lng: -24.1 },
  billing: { address: { city: 'Riga', country: 'LVA', postcodeZip: '1001', state: 'RI', street: 'One 1', street2: 'b' }, phone: '371' },
  order: { description: 'shoes', siteUrl: 'shop.example', purpose: 'walk' },
};
const WITHOUT_EMAIL = { device: COMMON.consumer.device };
const card = { number: CARD_NUMBER, expiry: { month: 12, year: 2030 }, holder: { firstName: 'Kim', lastName: 'Lee' }, securityCode: '123' };
const SALE = { ...COMMON, transaction: { currency: 'USD', amountCentis: 1_042 }, sourceOfFunds: { card } };

const performing = (
  outcome: Performed | PerformRefused = { reason: 'accepted', orderId: 't' as OrderId, endpointId: '1001' as never, token: 'T' },
) => {
  const taken: PerformRequest[] = [];
  let ambiguous = 0;
  const contents: string[] = [];
  const ports: PerformPorts = {
    accounts,
    nobody: new KeysOfUnknownMerchants(accounts),
    gates: { gate: () => able } as unknown as Gates,
    digests: { contentDigest: (parts) => (contents.push(parts.join('|')), `digest-${contents.length}` as ContentDigest) },
    handler: { handle: (request) => (taken.push(request), Promise.resolve(outcome)) },
    bootId: 'boot' as BootId,
    payerMs: 1,
    feeChoiceMs: 2,
    onAmbiguousSignature: () => ambiguous++,
  };
  const perform = async <Message extends PerformMessage>(
    endpoint: DeviceEndpoint<Message, never>,
    body: object,
    path: { readonly endpointId: string; readonly invoiceId: string },
  ): Promise<DeviceAnswer<string>> => {
    const read = readDeviceMessage(endpoint.message, body);
    if ('refused' in read) throw new Error(read.refused.message);
    const proven = await endpoint.prove({ path, message: read.ok, serial: 'serial', receivedAt: new VirtualClock().now() });
    return proven.kind === 'failed' ? proven : proven.go();
  };
  const endpoints = {
    verification: new PerformEndpoint(PERFORM_VERIFICATION, ports) as unknown as DeviceEndpoint<PerformVerificationRequest, never>,
    sale: new PerformEndpoint(PERFORM_SALE, ports) as unknown as DeviceEndpoint<PerformSaleRequest, never>,
    transfer: new PerformEndpoint(PERFORM_TRANSFER, ports) as unknown as DeviceEndpoint<PerformTransferRequest, never>,
  };
  const sale = (body: Readonly<Record<string, unknown>> = SALE, endpointId = '1001', key = KEY) =>
    perform(endpoints.sale, signed(body, endpointId, 'inv-1', key), { endpointId, invoiceId: 'inv-1' });
  return { taken, contents, perform, endpoints, sale, ambiguous: () => ambiguous };
};

describe('what the application is asked (interface, section 4.5)', () => {
  it('a sale: every member by explicit copy, card and code as secrets alone (safety, T24 and T32)', async () => {
    const { sale, taken } = performing();
    await expect(sale({ ...SALE, extra: 'x' })).resolves.toStrictEqual({
      kind: 'answer',
      body: { invoiceId: 'inv-1', session: { token: 'T' } },
    });
    const [request] = taken;
    expect(request).toMatchObject({
      operation: 'sale',
      merchant: 'acme',
      endpointId: '1001',
      clientOrderId: 'inv-1',
      amount: { minor: 1_042n, currency: 'USD' },
      serial: 'serial',
      customer: {
        holder: 'Kim Lee',
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
      },
      details: { description: 'shoes', ipAddress: '192.0.2.1', siteUrl: 'shop.example', purpose: 'walk' },
      device: {
        accessToken: 'a'.repeat(64),
        nonce: 'n'.repeat(64),
        serialNumber: 'SN-1',
        imei: '12345678901234',
        ipAddresses: '192.0.2.1 192.0.2.2',
        latitude: '56.9',
        longitude: '-24.1',
        street2: 'b',
      },
    });
    expect(request?.card?.reveal()).toStrictEqual({ number: CARD_NUMBER, expiryMonth: 12, expiryYear: 2030, holder: 'Kim Lee' });
    expect(request?.cvv?.reveal()).toBe('123');
    expect(inspect(request, { depth: 10 })).not.toMatch(/4444333322221111|'123'|extra/);
  });

  it('a verification moves nothing; a transfer brings both cards, or references, and what the plan waits for', async () => {
    const { perform, endpoints, taken } = performing();
    const path = { endpointId: '1002', invoiceId: 'inv-1' };
    const verified = { ...COMMON, transaction: { currency: 'USD' }, sourceCard: card };
    await perform(endpoints.verification, signed(verified, '1002', 'inv-1'), path);
    const moved = { ...SALE, destinationOfFunds: { card: { number: RECEIVING_NUMBER } } };
    await perform(endpoints.transfer, signed(moved, '1002', 'inv-1'), path);
    const referred = {
      ...SALE,
      sourceOfFunds: { reference: { clientCardId: 'c-1' } },
      destinationOfFunds: { reference: { clientCardId: 'd-1' } },
    };
    await perform(endpoints.transfer, signed(referred, '1002', 'inv-1'), path);
    const planned = { device: { isRandomSumRequired: true, feeChoiceMs: 2 }, gates: [{ alias: 'sim-a' }, { alias: 'sim-b' }] };
    expect(taken).toMatchObject([
      { operation: 'account-verification', amount: { minor: 0n }, offer: { plan: { device: { isRandomSumRequired: false } } } },
      { operation: 'transfer', offer: { kind: 'served', plan: { operation: 'transfer', ...planned, cvvHolder: 'boot' } } },
      { operation: 'transfer', device: { sourceClientCardId: 'c-1', destinationClientCardId: 'd-1' } },
    ]);
    expect(taken[0]?.offer).not.toHaveProperty('plan.device.feeChoiceMs');
    expect(taken[1]?.destination?.reveal()).toStrictEqual({ number: RECEIVING_NUMBER });
    expect([taken[2]?.card, taken[2]?.destination, taken[2]?.cvv]).toStrictEqual([undefined, undefined, undefined]);
    expect(taken[2]?.offer).not.toHaveProperty('plan.cvvHolder');
  });

  it('the same content is everything but securityCode (decisions, section 8)', async () => {
    const { sale, contents } = performing();
    await sale();
    await sale({ ...SALE, sourceOfFunds: { card: { ...card, securityCode: '321' } } });
    const { location: _location, ...elsewhere } = SALE;
    await sale(elsewhere);
    await sale({ ...SALE, sourceOfFunds: { card: { ...card, expiry: { month: 11, year: 2030 } } } });
    expect(contents[1]).toBe(contents[0]);
    expect(contents[0]).not.toContain('|123|');
    expect(new Set(contents).size).toBe(3);
  });

  it('a signed text that also splits otherwise is marked (safety, section 3.1)', async () => {
    const { sale, taken, ambiguous } = performing();
    await sale();
    expect([taken[0]?.signatureAmbiguous, ambiguous()]).toStrictEqual([true, 1]);
  });
});

describe('wrong signature, unknown or foreign endpoint: INVALID_REQUEST, and nobody is asked (decisions, section 8; safety, T10 and T19)', () => {
  const NOT_AUTHENTIC = { kind: 'failed', name: 'not-authentic', cause: 'INVALID_REQUEST', message: 'session.signature is not valid' };

  it('each the same failure', async () => {
    const { sale, perform, endpoints, taken } = performing();
    await expect(sale(SALE, '1001', OTHER_KEY)).resolves.toStrictEqual(NOT_AUTHENTIC);
    await expect(sale(SALE, '777')).resolves.toStrictEqual(NOT_AUTHENTIC);
    // The id of a group: a device's path names an endpoint.
    await expect(sale(SALE, '2001')).resolves.toStrictEqual(NOT_AUTHENTIC);
    await expect(sale(SALE, '9001')).resolves.toStrictEqual(NOT_AUTHENTIC);
    const elsewhere = perform(endpoints.sale, signed(SALE, '1001', 'inv-1'), { endpointId: '1001', invoiceId: 'inv-2' });
    await expect(elsewhere).resolves.toStrictEqual(NOT_AUTHENTIC);
    expect(taken).toStrictEqual([]);
  });

  it('whichever signed value is another', async () => {
    const { perform, endpoints } = performing();
    const right = signed(SALE, '1001', 'inv-1') as typeof SALE & { session: { signature: string } };
    const path = { endpointId: '1001', invoiceId: 'inv-1' };
    for (const bent of [
      { ...right, transaction: { currency: 'USD', amountCentis: 1_043 } },
      { ...right, transaction: { currency: 'EUR', amountCentis: 1_042 } },
      { ...right, consumer: { ...right.consumer, device: { serialNumber: 'SN-2' } } },
      { ...right, session: { ...right.session, accessToken: 'b'.repeat(64) } },
      { ...right, session: { ...right.session, nonce: 'm'.repeat(64) } },
    ])
      await expect(perform(endpoints.sale, bent, path)).resolves.toStrictEqual(NOT_AUTHENTIC);
    const lower = { ...right, session: { ...right.session, signature: right.session.signature.toLowerCase() } };
    await expect(perform(endpoints.sale, lower, path)).resolves.toMatchObject({ kind: 'answer' });
  });
});

describe('what the configuration offers goes with the request, for an invoice that was accepted before is answered from its order (architecture, rule 1)', () => {
  it.each([
    ['an endpoint without a merchant server', '9001', {}, OTHER_KEY, 'operation-not-offered'],
    ['a currency that is not the endpoint’s', '1001', { transaction: { currency: 'EUR', amountCentis: 1 } }, KEY, 'currency-not-served'],
    ['no e-mail where the endpoint requires one', '1001', { consumer: WITHOUT_EMAIL }, KEY, 'email-required'],
    ['no code where the gate needs one', '1004', { sourceOfFunds: { reference: { clientCardId: 'c' } } }, KEY, 'cvv-required'],
  ])('%s', async (_what, endpointId, given, key, reason) => {
    const { sale, taken } = performing();
    await sale({ ...SALE, ...given }, endpointId, key);
    expect(taken.map(({ offer }) => offer)).toStrictEqual([{ kind: 'refused', reason }]);
  });

  it('a perform without an e-mail is served where the endpoint does without: the order has none', async () => {
    const { sale, taken } = performing();
    await expect(sale({ ...SALE, consumer: WITHOUT_EMAIL }, '1005')).resolves.toMatchObject({ kind: 'answer' });
    await sale(SALE, '1005');
    expect(taken.map(({ offer, customer }) => [offer.kind, customer.email])).toStrictEqual([
      ['served', undefined],
      ['served', 'kim@example.com'],
    ]);
    expect(taken[0]?.customer).not.toHaveProperty('email');
  });

  it('a currency that is not the endpoint’s, of a verification too, which takes its endpoint whatever the currency', async () => {
    const { perform, endpoints, taken } = performing();
    const body = { ...COMMON, transaction: { currency: 'EUR' }, sourceCard: card };
    await perform(endpoints.verification, signed(body, '1001', 'inv-1'), { endpointId: '1001', invoiceId: 'inv-1' });
    expect(taken.map(({ offer }) => offer)).toStrictEqual([{ kind: 'refused', reason: 'currency-not-served' }]);
  });

  it('an operation that the endpoint does not list', async () => {
    const { perform, endpoints, taken } = performing();
    const body = { ...COMMON, transaction: { currency: 'USD' }, sourceCard: card };
    await perform(endpoints.verification, signed(body, '1003', 'inv-1'), { endpointId: '1003', invoiceId: 'inv-1' });
    expect(taken[0]?.offer).toStrictEqual({ kind: 'refused', reason: 'operation-not-offered' });
  });
});

describe('what the application refuses (decisions, section 8)', () => {
  it.each<[PerformRefused['reason'], string]>([
    ['nonce-reused', 'INVALID_REQUEST'],
    ['client-orderid-reused', 'INVALID_REQUEST'],
    ['currency-not-served', 'INVALID_REQUEST'],
    ['amount-out-of-range', 'INVALID_REQUEST'],
    ['cvv-required', 'INVALID_REQUEST'],
    ['email-required', 'INVALID_REQUEST'],
    ['operation-not-offered', 'INVALID_CONFIGURATION'],
  ])('%s: %s', async (reason, cause) => {
    await expect(performing({ reason }).sale()).resolves.toMatchObject({ kind: 'failed', cause });
  });
});
