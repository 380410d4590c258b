import type { Endpoint, Merchant } from './accounts';
import type { Configuration } from './configuration';
import { GROUP_B_DEFAULTS } from './group-b-defaults';
import { MINUTE_MS, SECOND_MS } from './durations';

const ofEndpoint = (endpoint: Endpoint, path: string): string[] => [
  ...(endpoint.transferRates === 'first-gate' ? [] : [`${path}.transferRates`]),
  ...(endpoint.randomSum === 'optional' ? [] : [`${path}.randomSum`]),
];

const ofMerchant = (merchant: Merchant, path: string): string[] => [
  ...(merchant.merchantUrl === undefined ? [] : [`${path}.merchantUrl`]),
  ...merchant.endpoints.flatMap((endpoint, index) => ofEndpoint(endpoint, `${path}.endpoints[${index}]`)),
];

/**
 * The paths of keys that are set, or differ from their default, and that nothing in this release acts on: named in one warning at start, so that
 * nobody relies on a limit or a signature that is not there.
 */
export const keysWithoutEffect = ({ groupB, accounts }: Configuration): string[] => [
  ...(groupB.httpErrors === GROUP_B_DEFAULTS.httpErrors ? [] : ['groupB.httpErrors']),
  ...(groupB.notificationWaitMs === GROUP_B_DEFAULTS.notificationWaitSeconds * SECOND_MS ? [] : ['groupB.notificationWaitSeconds']),
  ...(groupB.feeChoiceMs === GROUP_B_DEFAULTS.feeChoiceMinutes * MINUTE_MS ? [] : ['groupB.feeChoiceMinutes']),
  ...accounts.merchants.flatMap((merchant, index) => ofMerchant(merchant, `merchants[${index}]`)),
];
