import { inspect } from 'node:util';
import { resolve } from 'node:path';
import { addMs, isoInstant, Secret, type BootId, type ContentDigest, type Instant, type OrderId } from '@app/kernel';
import type { Gates } from '@app/gateway-adapters/contract';
import {
  GROUP_B_OPERATIONS,
  paymentSignature,
  readDeviceMessage,
  verificationSignature,
  type GroupBOperation,
  PerformTransferRequest,
} from '@app/gateway-protocol';
import { configurationFrom } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { VirtualClock } from '@app/testing';
import { type DeviceAnswer, SignatureVerifier, type PerformMessage } from '@app/http/group-b';
import { DecoyKeys } from '@app/http/request';
import * as fc from 'fast-check';
import type { Performed, PerformRefused, PerformRequest } from '../../application/acceptance/perform-order';
import {
  PerformTranslation,
  type PerformPorts,
  type DeviceOrderHandler,
  performContent,
  performContentBefore,
} from './perform.translation';

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
const GATE_WITH_EVERY_CAPABILITY = { charging: {}, verifying: {}, transferring: {} };

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
  const handled: PerformRequest[] = [];
  let ambiguous = 0;
  const contents: string[] = [];
  const ports: PerformPorts = {
    accounts,
    gates: { gate: () => GATE_WITH_EVERY_CAPABILITY } as unknown as Gates,
    digests: { contentDigest: (parts) => (contents.push(parts.join('|')), `digest-${contents.length}` as ContentDigest) },
    bootId: 'boot' as BootId,
    configuration: { groupB: { feeChoiceMs: 2 }, threeDSecure: { payerMs: 1 } },
    listener: { signatureAmbiguous: () => ambiguous++ },
  };
  const handler: DeviceOrderHandler = { handle: (request) => (handled.push(request), Promise.resolve(outcome)) };
  const signatures = new SignatureVerifier(accounts, new DecoyKeys(accounts));
  const translation = new PerformTranslation(ports);
  const perform = async (
    operation: GroupBOperation,
    body: object,
    path: { readonly endpointId: string; readonly invoiceId: string },
  ): Promise<DeviceAnswer<string>> => {
    const read = readDeviceMessage(operation.message, body);
    if ('refused' in read) throw new Error(read.refused.message);
    const message = read.ok as PerformMessage;
    const verified = signatures.verify({ operation, path, message, serial: 'serial', receivedAt: new VirtualClock().now() });
    return verified.kind === 'failed' ? verified : translation.perform(verified, handler);
  };
  const endpoints = {
    verification: GROUP_B_OPERATIONS['perform-verification'],
    sale: GROUP_B_OPERATIONS['perform-sale'],
    transfer: GROUP_B_OPERATIONS['perform-transfer'],
  };
  const sale = (body: Readonly<Record<string, unknown>> = SALE, endpointId = '1001', key = KEY) =>
    perform(endpoints.sale, signed(body, endpointId, 'inv-1', key), { endpointId, invoiceId: 'inv-1' });
  return { handled, contents, perform, endpoints, sale, ambiguous: () => ambiguous };
};

describe('the request to a context (interface, section 4.5)', () => {
  it('of a sale has each known member, with card and code as secrets (safety, T24 and T32) [W93, W94, W96, W98, W389]', async () => {
    const { sale, handled } = performing();
    await expect(sale({ ...SALE, extra: 'x' })).resolves.toStrictEqual({
      kind: 'answer',
      body: { invoiceId: 'inv-1', session: { token: 'T' } },
      orderId: 't',
    });
    const [request] = handled;
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

  it('of a verification has no amount, and of a transfer both cards or references and its plan [W97, W100]', async () => {
    const { perform, endpoints, handled } = performing();
    const path = { endpointId: '1002', invoiceId: 'inv-1' };
    const verification = { ...COMMON, transaction: { currency: 'USD' }, sourceCard: card };
    await perform(endpoints.verification, signed(verification, '1002', 'inv-1'), path);
    const withBothCards = { ...SALE, destinationOfFunds: { card: { number: RECEIVING_NUMBER } } };
    await perform(endpoints.transfer, signed(withBothCards, '1002', 'inv-1'), path);
    const withReferences = {
      ...SALE,
      sourceOfFunds: { reference: { clientCardId: 'c-1' } },
      destinationOfFunds: { reference: { clientCardId: 'd-1' } },
    };
    await perform(endpoints.transfer, signed(withReferences, '1002', 'inv-1'), path);
    const planned = { device: { isRandomSumRequired: true, feeChoiceMs: 2 }, gates: [{ alias: 'sim-a' }, { alias: 'sim-b' }] };
    expect(handled).toMatchObject([
      { operation: 'account-verification', amount: { minor: 0n }, offer: { plan: { device: { isRandomSumRequired: false } } } },
      { operation: 'transfer', offer: { kind: 'served', plan: { operation: 'transfer', ...planned, cvvHolder: 'boot' } } },
      { operation: 'transfer', device: { sourceClientCardId: 'c-1', destinationClientCardId: 'd-1' } },
    ]);
    expect(handled[0]?.offer).not.toHaveProperty('plan.device.feeChoiceMs');
    expect(handled[1]?.destination?.reveal()).toStrictEqual({ number: RECEIVING_NUMBER });
    expect([handled[2]?.card, handled[2]?.destination, handled[2]?.cvv]).toStrictEqual([undefined, undefined, undefined]);
    expect(handled[2]?.offer).not.toHaveProperty('plan.cvvHolder');
  });

  it('has the same content with another securityCode and different content after any other change (decisions, section 8) [W401]', async () => {
    const { sale, contents } = performing();
    await sale();
    await sale({ ...SALE, sourceOfFunds: { card: { ...card, securityCode: '321' } } });
    const { location: _location, ...withoutLocation } = SALE;
    await sale(withoutLocation);
    await sale({ ...SALE, sourceOfFunds: { card: { ...card, expiry: { month: 11, year: 2030 } } } });
    expect(contents[1]).toBe(contents[0]);
    expect(contents[0]).not.toContain('|123|');
    expect(new Set(contents).size).toBe(3);
  });

  it('is marked if its signed text can be split into other values (safety, section 3.1)', async () => {
    const { sale, handled, ambiguous } = performing();
    await sale();
    expect([handled[0]?.signatureAmbiguous, ambiguous()]).toStrictEqual([true, 1]);
  });
});

describe('a perform with a wrong signature or endpoint (decisions, section 8; safety, T10 and T19)', () => {
  const NOT_AUTHENTIC = { kind: 'failed', name: 'not-authentic', cause: 'INVALID_REQUEST', message: 'session.signature is not valid' };

  it('fails in the same way for a wrong key, endpoint, group or invoice [W372]', async () => {
    const { sale, perform, endpoints, handled } = performing();
    await expect(sale(SALE, '1001', OTHER_KEY)).resolves.toStrictEqual(NOT_AUTHENTIC);
    await expect(sale(SALE, '777')).resolves.toStrictEqual(NOT_AUTHENTIC);
    // The id of a group: a device's path names an endpoint.
    await expect(sale(SALE, '2001')).resolves.toStrictEqual(NOT_AUTHENTIC);
    await expect(sale(SALE, '9001')).resolves.toStrictEqual(NOT_AUTHENTIC);
    const elsewhere = perform(endpoints.sale, signed(SALE, '1001', 'inv-1'), { endpointId: '1001', invoiceId: 'inv-2' });
    await expect(elsewhere).resolves.toStrictEqual(NOT_AUTHENTIC);
    expect(handled).toStrictEqual([]);
  });

  it('fails in the same way for each changed signed value [W95, W141, W142, W372]', async () => {
    const { perform, endpoints } = performing();
    const right = signed(SALE, '1001', 'inv-1') as typeof SALE & { session: { signature: string } };
    const path = { endpointId: '1001', invoiceId: 'inv-1' };
    for (const changed of [
      { ...right, transaction: { currency: 'USD', amountCentis: 1_043 } },
      { ...right, transaction: { currency: 'EUR', amountCentis: 1_042 } },
      { ...right, consumer: { ...right.consumer, device: { serialNumber: 'SN-2' } } },
      { ...right, session: { ...right.session, accessToken: 'b'.repeat(64) } },
      { ...right, session: { ...right.session, nonce: 'm'.repeat(64) } },
    ])
      await expect(perform(endpoints.sale, changed, path)).resolves.toStrictEqual(NOT_AUTHENTIC);
    const inLowerCase = { ...right, session: { ...right.session, signature: right.session.signature.toLowerCase() } };
    await expect(perform(endpoints.sale, inLowerCase, path)).resolves.toMatchObject({ kind: 'answer' });
  });
});

describe("a perform signed with the merchant's former control key", () => {
  const FORMER_KEY = '11223344-5566-7788-99AA-BBCCDDEEFF00';
  const notAfter = addMs(new VirtualClock().now(), 60_000);
  const acme = accounts.merchants[0];
  const rotated = {
    ...accounts,
    merchant: () => ({ ...acme, formerControlKey: { key: new Secret(FORMER_KEY), notAfter: isoInstant(notAfter) } }),
  };
  const verifier = new SignatureVerifier(rotated, new DecoyKeys(accounts));
  const verified = (key: string, receivedAt: Instant) => {
    const read = readDeviceMessage(GROUP_B_OPERATIONS['perform-sale'].message, signed(SALE, '1001', 'inv-1', key));
    if ('refused' in read) throw new Error(read.refused.message);
    const path = { endpointId: '1001', invoiceId: 'inv-1' };
    const request = { operation: GROUP_B_OPERATIONS['perform-sale'], path, message: read.ok, serial: 'serial', receivedAt };
    const result = verifier.verify(request);
    return result.kind === 'failed' ? result.name : result.signedWith.reveal();
  };

  it.each([
    ['before its end', -1, [KEY, FORMER_KEY]],
    ['at its end', 0, [KEY, FORMER_KEY]],
    ['after its end', 1, [KEY, 'not-authentic']],
  ])('%s: %s ms', (_when, ms, [present, former]) => {
    const at = addMs(notAfter, ms);
    expect([KEY, FORMER_KEY, OTHER_KEY].map((key) => verified(key, at))).toStrictEqual([present, former, 'not-authentic']);
  });
});

describe('the offer in a request (architecture, rule 1)', () => {
  it.each([
    ['an endpoint without a merchant server [W379]', '9001', {}, OTHER_KEY, 'operation-not-offered'],
    [
      'a currency that is not the endpoint’s [W375]',
      '1001',
      { transaction: { currency: 'EUR', amountCentis: 1 } },
      KEY,
      'currency-not-served',
    ],
    ['no e-mail although the endpoint requires one [W93, W400, W532]', '1001', { consumer: WITHOUT_EMAIL }, KEY, 'email-required'],
    ['no code although the gate requires one [W402]', '1004', { sourceOfFunds: { reference: { clientCardId: 'c' } } }, KEY, 'cvv-required'],
  ])('is refused for %s', async (_what, endpointId, given, key, reason) => {
    const { sale, handled } = performing();
    await sale({ ...SALE, ...given }, endpointId, key);
    expect(handled.map(({ offer }) => offer)).toStrictEqual([{ kind: 'refused', reason }]);
  });

  it('is served without an e-mail if the endpoint does not require one [W532]', async () => {
    const { sale, handled } = performing();
    await expect(sale({ ...SALE, consumer: WITHOUT_EMAIL }, '1005')).resolves.toMatchObject({ kind: 'answer' });
    await sale(SALE, '1005');
    expect(handled.map(({ offer, customer }) => [offer.kind, customer.email])).toStrictEqual([
      ['served', undefined],
      ['served', 'kim@example.com'],
    ]);
    expect(handled[0]?.customer).not.toHaveProperty('email');
  });

  it('is refused for a verification in a currency that the endpoint does not serve [W375]', async () => {
    const { perform, endpoints, handled } = performing();
    const body = { ...COMMON, transaction: { currency: 'EUR' }, sourceCard: card };
    await perform(endpoints.verification, signed(body, '1001', 'inv-1'), { endpointId: '1001', invoiceId: 'inv-1' });
    expect(handled.map(({ offer }) => offer)).toStrictEqual([{ kind: 'refused', reason: 'currency-not-served' }]);
  });

  it('is refused for an operation that the endpoint does not list [W379]', async () => {
    const { perform, endpoints, handled } = performing();
    const body = { ...COMMON, transaction: { currency: 'USD' }, sourceCard: card };
    await perform(endpoints.verification, signed(body, '1003', 'inv-1'), { endpointId: '1003', invoiceId: 'inv-1' });
    expect(handled[0]?.offer).toStrictEqual({ kind: 'refused', reason: 'operation-not-offered' });
  });
});

describe('a rejection by a context (decisions, section 8)', () => {
  it.each<[PerformRefused['reason'], string]>([
    ['nonce-reused', 'INVALID_REQUEST'],
    ['client-orderid-reused', 'INVALID_REQUEST'],
    ['currency-not-served', 'INVALID_REQUEST'],
    ['amount-out-of-range', 'INVALID_REQUEST'],
    ['cvv-required', 'INVALID_REQUEST'],
    ['email-required', 'INVALID_REQUEST'],
    ['operation-not-offered', 'INVALID_CONFIGURATION'],
  ])('%s has the cause %s [W159, W373, W375, W379]', async (reason, cause) => {
    await expect(performing({ reason }).sale()).resolves.toMatchObject({ kind: 'failed', cause });
  });
});

const TRANSFER = {
  consumer: { device: { serialNumber: 'SN-1' }, ipAddresses: ['192.0.2.1', '192.0.2.2'], email: 'kim@example.com' },
  session: { accessToken: 'a'.repeat(32), nonce: 'n'.repeat(32), signature: 'S'.repeat(40) },
  location: { lat: 1.5 },
  billing: { address: { city: 'Riga' }, phone: '371' },
  transaction: { currency: 'USD', amountCentis: 1_042 },
  sourceOfFunds: { reference: { clientCardId: 'c-1', securityCode: '123' } },
  destinationOfFunds: { card: { number: '5555555555554444' } },
};
const contentOf = (
  body: object,
  operation: 'sale' | 'transfer' = 'transfer',
  endpointId = '1004',
  content: typeof performContentBefore = performContent,
): readonly string[] => {
  const read = readDeviceMessage(PerformTransferRequest, body);
  if ('refused' in read) throw new Error(read.refused.message);
  return content(operation, endpointId, read.ok);
};

describe('the content of a perform (protocol decisions, section 8)', () => {
  it('is unchanged since earlier releases, whose digests are in the log, except for the signature', () => {
    const before = contentOf(TRANSFER, 'transfer', '1004', performContentBefore);
    const at = before.indexOf('.session.signature');
    expect(contentOf(TRANSFER)).toStrictEqual(before.toSpliced(at, 2));
    expect(before).toStrictEqual([
      'transfer',
      '1004',
      ...['.billing.address.city', 'Riga', '.billing.phone', '371'],
      ...['.consumer.device.serialNumber', 'SN-1', '.consumer.email', 'kim@example.com'],
      ...['.consumer.ipAddresses.0', '192.0.2.1', '.consumer.ipAddresses.1', '192.0.2.2'],
      ...['.destinationOfFunds.card.number', '5555555555554444', '.location.lat', '1.5'],
      ...['.session.accessToken', 'a'.repeat(32), '.session.nonce', 'n'.repeat(32), '.session.signature', 'S'.repeat(40)],
      ...['.sourceOfFunds.reference.clientCardId', 'c-1', '.transaction.amountCentis', '1042', '.transaction.currency', 'USD'],
    ]);
  });

  it('differs by operation and endpoint', () => {
    expect(contentOf(TRANSFER, 'sale')).not.toStrictEqual(contentOf(TRANSFER));
    expect(contentOf(TRANSFER, 'transfer', '1001')).not.toStrictEqual(contentOf(TRANSFER));
  });

  it('ignores the security code, unknown members and null members [W401]', () => {
    const { reference } = TRANSFER.sourceOfFunds;
    for (const securityCode of ['321', undefined, null])
      expect(contentOf({ ...TRANSFER, sourceOfFunds: { reference: { ...reference, securityCode } } })).toStrictEqual(contentOf(TRANSFER));
    expect(contentOf({ ...TRANSFER, extra: 1, order: null })).toStrictEqual(contentOf(TRANSFER));
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(TRANSFER), { minLength: Object.keys(TRANSFER).length }), (names) => {
        const shuffled = Object.fromEntries(names.map((name) => [name, TRANSFER[name as keyof typeof TRANSFER]]));
        expect(performContent('transfer', '1004', shuffled)).toStrictEqual(performContent('transfer', '1004', TRANSFER));
      }),
    );
  });

  it('differs for each changed or absent member except the security code and the signature', () => {
    const leaves = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]))
        : [path];
    const changedAt = ([name = '', ...rest]: readonly string[], of: object, to: unknown): object => {
      const member = (of as Record<string, unknown>)[name];
      return { ...of, [name]: rest.length === 0 ? to : changedAt(rest, member as object, to) };
    };
    const paths = leaves(TRANSFER);
    const content = (message: object) => JSON.stringify(performContent('transfer', '1004', message));
    for (const to of ['other', undefined]) {
      const same = paths.filter((path) => content(changedAt(path, TRANSFER, to)) === content(TRANSFER));
      expect(same).toStrictEqual([
        ['session', 'signature'],
        ['sourceOfFunds', 'reference', 'securityCode'],
      ]);
    }
  });

  it('differs if the same texts are in other members', () => {
    const { address } = TRANSFER.billing;
    const moved = [
      { ...TRANSFER, billing: { address, phone: '5' }, order: { purpose: '6' } },
      { ...TRANSFER, billing: { address, phone: '6' }, order: { purpose: '5' } },
      { ...TRANSFER, billing: { address, phone: '5' }, order: { siteUrl: '6' } },
    ];
    expect(new Set(moved.map((body) => JSON.stringify(contentOf(body)))).size).toBe(moved.length);
  });
});
