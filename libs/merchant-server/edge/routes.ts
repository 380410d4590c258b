import { MERCHANT_ROUTES } from '@app/gateway-protocol';
import type { MerchantServerOperationName } from './operations';

const { initiate, check, notification, accessToken, clientIds, randomSum, callback } = MERCHANT_ROUTES;

const PATHS: Readonly<Record<MerchantServerOperationName, readonly string[]>> = {
  'request-access-token': accessToken,
  'initiate-verification': initiate.verification,
  'initiate-sale': initiate.sale,
  'initiate-transfer': initiate.transfer,
  'check-verification': check.verification,
  'check-sale': check.sale,
  'check-transfer': check.transfer,
  'notification-verification': notification.verification,
  'notification-sale': notification.sale,
  'notification-transfer': notification.transfer,
  'get-client-ids': clientIds,
  'random-sum': randomSum,
  callback,
};

const INVOICE = ':invoiceId';
const PARAMETER_AT = 1;
const ANY = ':';

/** Counts the segments, so that a decoded slash within one does not create another path. */
const keyOf = (segments: readonly string[]): string => `${segments.length} ${segments.join('/')}`;
const withAny = (segments: readonly string[]): readonly string[] => segments.with(PARAMETER_AT, ANY);

interface Known {
  readonly operation: MerchantServerOperationName;
  readonly hasInvoice: boolean;
}

const OPERATIONS: ReadonlyMap<string, Known> = new Map(
  (Object.entries(PATHS) as [MerchantServerOperationName, readonly string[]][]).flatMap(([operation, paths]) =>
    paths.map((path): [string, Known] => {
      const segments = path.split('/');
      const parameter = segments[PARAMETER_AT];
      return [keyOf(parameter?.startsWith(ANY) === true ? withAny(segments) : segments), { operation, hasInvoice: parameter === INVOICE }];
    }),
  ),
);

export interface MerchantServerRoute {
  readonly operation: MerchantServerOperationName;
  readonly login: string | undefined;
  readonly invoiceId: string | undefined;
}

const routeBelow = (segments: readonly string[], login: string | undefined): MerchantServerRoute | undefined => {
  const exact = OPERATIONS.get(keyOf(segments));
  if (exact !== undefined) return { operation: exact.operation, login, invoiceId: undefined };
  const parameter = segments[PARAMETER_AT];
  const known = parameter === undefined ? undefined : OPERATIONS.get(keyOf(withAny(segments)));
  return known && { operation: known.operation, login, invoiceId: known.hasInvoice ? parameter : undefined };
};

const decoded = (path: string): readonly string[] | undefined => {
  try {
    return path.split('/').map((segment) => (segment.includes('%') ? decodeURIComponent(segment) : segment));
  } catch {
    return undefined;
  }
};

/**
 * Finds the operation of a path below the merchant server's address (interface, section 4.3), with or without the product's login. Needs a
 * few look-ups instead of testing 36 routes.
 * @param url path and query, from its first slash on
 */
export const merchantServerRouteOf = (url: string): MerchantServerRoute | undefined => {
  const at = url.indexOf('?');
  const [, ...segments] = decoded(at === -1 ? url : url.slice(0, at)) ?? [];
  const [login, ...rest] = segments;
  return routeBelow(segments, undefined) ?? (login === '' ? undefined : routeBelow(rest, login));
};
