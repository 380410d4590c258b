import * as fc from 'fast-check';
import { DEVICE_OPERATIONS, GATEWAY_ROUTES, gatewayPath, MERCHANT_ROUTES, merchantPath, pathSegment } from './paths';

const named = { endpointId: '1001', invoiceId: 'inv 1/2' };

describe('paths of the gateway (interface, section 4.2) [W187]', () => {
  it.each([
    ['Perform validation [W68]', gatewayPath.perform('verification', named), 'dapi/v1/verification/1001/inv%201%2F2'],
    ['Verification status [W69]', gatewayPath.status('verification', named), 'dapi/v1/verification/1001/inv%201%2F2/status'],
    ['Perform sale [W70]', gatewayPath.perform('sale', named), 'dapi/v1/sale/1001/inv%201%2F2'],
    ['Sale status [W71]', gatewayPath.status('sale', named), 'dapi/v1/sale/1001/inv%201%2F2/status'],
    ['Perform transfer [W72]', gatewayPath.perform('transfer', named), 'dapi/v1/transfer/1001/inv%201%2F2'],
    ['Transfer status [W73]', gatewayPath.status('transfer', named), 'dapi/v1/transfer/1001/inv%201%2F2/status'],
    ['Complete transfer [W74]', gatewayPath.complete(named, 'sim-a'), 'dapi/v1/transfer/1001/inv%201%2F2/sim-a'],
  ])('%s', (_, path, expected) => expect(path).toBe(expected));
});

describe('paths of the merchant server (interface, section 4.3) [W187]', () => {
  it.each([
    ['Initiate verification [W76]', merchantPath.initiate('verification'), 'verification/initiate-verification'],
    ['Check verification [W77]', merchantPath.check('verification', 'i 1'), 'verification/i%201/check'],
    ['Verification card mapping notification [W78]', merchantPath.notification('verification'), 'verification/notification'],
    ['Initiate sale [W79]', merchantPath.initiate('sale'), 'transfer/initiate-sale'],
    ['Check sale [W80]', merchantPath.check('sale', 'i 1'), 'sale/i%201/check'],
    ['Sale card mapping notification [W81]', merchantPath.notification('sale'), 'sale/notification'],
    ['Initiate transfer [W82]', merchantPath.initiate('transfer'), 'transfer/initiate-transfer'],
    ['Check transfer [W83]', merchantPath.check('transfer', 'i 1'), 'transfer/i%201/check'],
    ['Transfer card mapping notification [W84]', merchantPath.notification('transfer'), 'transfer/notification'],
    ['Access token (decisions, section 8)', merchantPath.accessToken(), 'auth/request-access-token'],
    ['Client ids (decisions, section 8)', merchantPath.clientIds('i 1'), 'cardrefs/i%201/get-client-ids'],
  ])('%s', (_, path, expected) => expect(path).toBe(expected));

  it('have the documented alternative forms (protocol decisions, section 1) [W188]', () => {
    expect(MERCHANT_ROUTES.initiate.sale).toStrictEqual(['transfer/initiate-sale', 'sale/initiate-sale']);
    expect(MERCHANT_ROUTES.accessToken).toStrictEqual(['auth/request-access-token', 'auth/:any/request-access-token']);
    for (const operation of DEVICE_OPERATIONS)
      expect(MERCHANT_ROUTES.notification[operation]).toStrictEqual([`${operation}/notification`, `${operation}/:invoiceId/notification`]);
  });

  it('contain no duplicate route', () => {
    const { initiate, check, notification, accessToken, clientIds } = MERCHANT_ROUTES;
    const byOperation = [initiate, check, notification].flatMap((routes) => Object.values<readonly string[]>(routes).flat());
    const routes: readonly string[] = [...byOperation, ...accessToken, ...clientIds];
    expect(new Set(routes).size).toBe(routes.length);
    expect(routes).toHaveLength(16);
    expect(DEVICE_OPERATIONS.map(GATEWAY_ROUTES.perform)).toHaveLength(3);
  });
});

describe('a segment of a path (safety, T18)', () => {
  it.each(['', '.', '..', 'x'.repeat(129)])('throws for the invalid text %j', (text) =>
    expect(() => pathSegment(text)).toThrow(RangeError),
  );

  it('stays one segment for any text, and decodes to the same text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc
        .array(fc.constantFrom('.', '/', '\\', '%2e', '%2f', '?', '#', ';', '\r\n', '@', ' '), { minLength: 1, maxLength: 12 })
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (invoiceId) => {
        fc.pre(invoiceId !== '.' && invoiceId !== '..' && invoiceId.length <= 128);
        const url = new URL(merchantPath.check('sale', invoiceId), 'https://merchant.example/');
        expect(url.host).toBe('merchant.example');
        expect(url.pathname.split('/').map(decodeURIComponent)).toStrictEqual(['', 'sale', invoiceId, 'check']);
        expect([url.search, url.hash]).toStrictEqual(['', '']);
      }),
      { numRuns: 2_000 },
    );
  });
});
