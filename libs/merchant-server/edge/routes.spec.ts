import fc from 'fast-check';
import { MERCHANT_ROUTES } from '@app/gateway-protocol';
import { merchantServerRouteOf } from './routes';

const { initiate, check, notification, ...others } = MERCHANT_ROUTES;
const paths = [initiate, check, notification, others].flatMap((routes) => Object.values<readonly string[]>(routes).flat());
const operationOf = (path: string): string => {
  const [area = '', last] = [path.split('/')[0], path.split('/').at(-1) ?? ''];
  if (last === 'check' || last === 'notification') return `${last}-${area}`;
  return last;
};
const given = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });

const urlOf = (segments: readonly string[]): string => `/${segments.map(encodeURIComponent).join('/')}`;

describe('the paths of a merchant server (interface, section 4.3; protocol decisions, section 1)', () => {
  it.each(paths)('%s matches with any invoice, login prefix and query', (path) => {
    const hasInvoice = path.includes(':invoiceId');
    let below = 0;
    fc.assert(
      fc.property(given, given, given, (invoiceId, login, query) => {
        const segments = path.split('/').map((segment) => (segment.startsWith(':') ? invoiceId : segment));
        const route = { operation: operationOf(path), invoiceId: hasInvoice ? invoiceId : undefined };
        expect(merchantServerRouteOf(urlOf(segments))).toStrictEqual({ ...route, login: undefined });
        expect(merchantServerRouteOf(`${urlOf(segments)}?${query}`)).toStrictEqual({ ...route, login: undefined });
        const found = merchantServerRouteOf(urlOf([login, ...segments]));
        // The path without a login takes precedence: below the login `sale` it would read as a notification with an invoice.
        if (found?.login === undefined) return;
        below += 1;
        expect(found).toStrictEqual({ ...route, login });
      }),
    );
    expect(below).toBeGreaterThan(50);
  });

  it.each([
    '',
    '/',
    '*',
    '/sale',
    '/sale/check',
    '/sale%2Fnotification',
    '/sale/a%2Fnotification',
    '/sale/a/check/',
    '//sale/a/check',
    '/sale/a/Check',
    '/sale/%zz/check',
    '/acme/other/sale/notification',
    '/health/ready',
    '/sale/initiate',
    '/constructor',
    'http://127.0.0.1/sale/a/check',
  ])('match no operation for %j', (url) => expect(merchantServerRouteOf(url)).toBeUndefined());
});
