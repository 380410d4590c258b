import { INVOICE_ID_LENGTH_MAX } from './device-limits';

export const DEVICE_OPERATIONS = ['verification', 'sale', 'transfer'] as const;
export type DeviceOperation = (typeof DEVICE_OPERATIONS)[number];

/** Below the gateway's prefix, in router syntax (interface, section 4.2). */
export const GATEWAY_ROUTES = {
  perform: (operation: DeviceOperation) => `dapi/v1/${operation}/:endpointId/:invoiceId`,
  status: (operation: DeviceOperation) => `dapi/v1/${operation}/:endpointId/:invoiceId/status`,
  /** A gate's alias is never `status` (protocol decisions, section 8). */
  complete: 'dapi/v1/transfer/:endpointId/:invoiceId/:assignedId',
} as const;

/**
 * Below the merchant server's address (interface, section 4.3), each with its accepted alternatives (protocol
 * decisions, section 1).
 */
export const MERCHANT_ROUTES = {
  initiate: {
    verification: ['verification/initiate-verification'],
    sale: ['transfer/initiate-sale', 'sale/initiate-sale'],
    transfer: ['transfer/initiate-transfer'],
  },
  check: {
    verification: ['verification/:invoiceId/check'],
    sale: ['sale/:invoiceId/check'],
    transfer: ['transfer/:invoiceId/check'],
  },
  notification: {
    verification: ['verification/notification', 'verification/:invoiceId/notification'],
    sale: ['sale/notification', 'sale/:invoiceId/notification'],
    transfer: ['transfer/notification', 'transfer/:invoiceId/notification'],
  },
  accessToken: ['auth/request-access-token', 'auth/:any/request-access-token'],
  clientIds: ['cardrefs/:invoiceId/get-client-ids'],
  /** Our path, to send the random sum of the card that paid this invoice. */
  randomSum: ['cardrefs/:invoiceId/random-sum'],
  /** Our path, for products without a callback address. */
  callback: ['callback'],
} as const satisfies Readonly<Record<string, readonly string[] | Readonly<Record<DeviceOperation, readonly string[]>>>>;

/**
 * A URL path segment (safety, T18).
 * @throws RangeError if it is empty, too long, `.` or `..`
 */
export const pathSegment = (text: string): string => {
  if (text === '' || text.length > INVOICE_ID_LENGTH_MAX || text === '.' || text === '..') throw new RangeError('not a segment of a path');
  return encodeURIComponent(text);
};

export interface TransactionNamed {
  readonly endpointId: string;
  readonly invoiceId: string;
}

const filled = (route: string, values: Readonly<Record<string, string>>): string =>
  route.replace(/:(\w+)/g, (_parameter, name: string) => pathSegment(values[name] ?? ''));

/**
 * Below `{base_url}/paynet/`.
 * @throws RangeError as `pathSegment` does
 */
export const gatewayPath = {
  perform: (operation: DeviceOperation, named: TransactionNamed): string => filled(GATEWAY_ROUTES.perform(operation), { ...named }),
  status: (operation: DeviceOperation, named: TransactionNamed): string => filled(GATEWAY_ROUTES.status(operation), { ...named }),
  complete: (named: TransactionNamed, assignedId: string): string => filled(GATEWAY_ROUTES.complete, { ...named, assignedId }),
} as const;

/**
 * Below `{merchant_url}/`.
 * @throws RangeError as `pathSegment` does
 */
export const merchantPath = {
  initiate: (operation: DeviceOperation): string => MERCHANT_ROUTES.initiate[operation][0],
  check: (operation: DeviceOperation, invoiceId: string): string => filled(MERCHANT_ROUTES.check[operation][0], { invoiceId }),
  notification: (operation: DeviceOperation): string => MERCHANT_ROUTES.notification[operation][0],
  accessToken: (): string => MERCHANT_ROUTES.accessToken[0],
  clientIds: (invoiceId: string): string => filled(MERCHANT_ROUTES.clientIds[0], { invoiceId }),
  randomSum: (invoiceId: string): string => filled(MERCHANT_ROUTES.randomSum[0], { invoiceId }),
} as const;
