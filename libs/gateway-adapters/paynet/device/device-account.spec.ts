import fc from 'fast-check';
import { Secret } from '@app/kernel';
import { accessTokenOf, deviceSession, invoiceOfAccessToken, isOwnNonce, type DeviceAccount } from './device-account';

const INVOICE = '6f1e8a60-0000-4000-8000-000000000001';
const account: DeviceAccount = { endpointId: '7001', controlKey: new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20') };
const otherKey: DeviceAccount = { ...account, controlKey: new Secret('A17F59B4-A7DC-41B4-8FF9-37D986B43D20') };
const otherEndpoint: DeviceAccount = { ...account, endpointId: '7002' };
const session = deviceSession(account, 'transfer', INVOICE, 'SN-1');

describe('deviceSession', () => {
  it('makes a nonce and access token with the lengths and characters of the interface', () => {
    expect(session.nonce).toMatch(/^[0-9a-zA-Z^$]{64}$/);
    expect(session.accessToken).toMatch(new RegExp(`^[0-9a-zA-Z^$]{64}${INVOICE}$`));
    expect(session.accessToken.length).toBeLessThanOrEqual(128);
  });

  it('returns the same session for the same input', () => {
    expect(deviceSession({ ...account }, 'transfer', INVOICE, 'SN-1')).toStrictEqual(session);
  });

  it('differs by key, endpoint, invoice, operation and device', () => {
    const sessions = [
      session,
      deviceSession(otherKey, 'transfer', INVOICE, 'SN-1'),
      deviceSession(otherEndpoint, 'transfer', INVOICE, 'SN-1'),
      deviceSession(account, 'transfer', `${INVOICE}2`, 'SN-1'),
      deviceSession(account, 'sale', INVOICE, 'SN-1'),
      deviceSession(account, 'transfer', INVOICE, 'SN-2'),
    ];
    expect(new Set(sessions.map(({ nonce }) => nonce)).size).toBe(sessions.length);
    // Status and complete contain no device or operation to bind it to.
    expect(new Set(sessions.map(({ accessToken }) => accessToken)).size).toBe(4);
  });

  it('differs for parts whose concatenation is equal', () => {
    const texts = fc.string({ minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, texts, (one, two, three) => {
        const left = deviceSession(account, 'sale', one + two, three).nonce;
        const right = deviceSession(account, 'sale', one, two + three).nonce;
        expect(left).not.toBe(right);
      }),
    );
  });
});

describe('verification of a returned access token or nonce', () => {
  it('reads the invoice from our own access token', () => {
    expect(invoiceOfAccessToken(account, session.accessToken)).toBe(INVOICE);
  });

  it.each([
    ['of another key', accessTokenOf(otherKey, INVOICE)],
    ['of another endpoint', accessTokenOf(otherEndpoint, INVOICE)],
    ['of another invoice', session.accessToken.slice(0, 64) + INVOICE.replace('1', '2')],
    ['cut', session.accessToken.slice(0, -1)],
    ['empty', ''],
    ['of only 64 characters', session.accessToken.slice(0, 64)],
  ])('rejects an access token: %s', (_, text) => {
    expect(invoiceOfAccessToken(account, text)).toBeUndefined();
  });

  it('accepts the nonce only for its own device and operation', () => {
    const named = { invoiceId: INVOICE, serialNumber: 'SN-1', nonce: session.nonce };
    expect(isOwnNonce(account, 'transfer', named)).toBe(true);
    expect(isOwnNonce(account, 'sale', named)).toBe(false);
    expect(isOwnNonce(account, 'transfer', { ...named, serialNumber: 'SN-2' })).toBe(false);
    expect(isOwnNonce(account, 'transfer', { ...named, nonce: session.nonce.toLowerCase() })).toBe(false);
  });

  it('rejects every random text as an access token', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => invoiceOfAccessToken(account, text) === undefined));
  });
});
