import type { EgressSettings } from '../configuration';
import { faultAt, type Fault } from '../reading/fault';
import { parseIpRange, type IpRange } from '../reading/ip-range';
import type { References } from './references';

/** The reason for which egress would refuse an address of the configuration, in one word; undefined where it would not. Asks no name server. */
export type RefusalOfTarget = (address: string, egress: EgressSettings, isProduction: boolean) => string | undefined;

/** Undefined where `allow` cannot be read: that is a fault by itself, and the ranges that it would open are unknown. */
const egressOf = ({ allow, plainHttp }: References['egress']): EgressSettings | undefined => {
  const ranges = allow.map((text) => parseIpRange(text ?? '')).filter((range): range is IpRange => range !== undefined);
  if (ranges.length < allow.length) return undefined;
  // Addresses of the configuration may use any port.
  return { allow: ranges, ports: new Set(), plainHttp: plainHttp === true || plainHttp === 'true' };
};

/** Reports addresses that would never be called at start, instead of with the first lost callback. */
export const targetFaults = ({ egress, merchants }: References, isProduction: boolean, refusalOf: RefusalOfTarget): Fault[] => {
  const settings = egressOf(egress);
  if (settings === undefined) return [];
  const targets = merchants.flatMap(({ merchantUrl, endpoints }, index) => [
    { address: merchantUrl, path: ['merchants', index, 'merchantUrl'] },
    ...endpoints.map(({ callbackUrl }, at) => ({ address: callbackUrl, path: ['merchants', index, 'endpoints', at, 'callbackUrl'] })),
  ]);
  return targets.flatMap(({ address, path }) => {
    const refusal = address === undefined ? undefined : refusalOf(address, settings, isProduction);
    return refusal === undefined
      ? []
      : [faultAt(path, `would never be called (${refusal}); egress.allow opens addresses that are not public`)];
  });
};
