import { faultAt, type Fault, type Path } from '../reading/fault';
import { parseIpRange, touchesLoopback } from '../reading/ip-range';
import type { References } from './references';

const PRODUCTION = 'when NODE_ENV=production';

const plainHttpAddresses = ({ merchants }: References): Path[] =>
  merchants.flatMap(({ merchantUrl, endpoints }, index) =>
    [
      { address: merchantUrl, path: ['merchants', index, 'merchantUrl'] },
      ...endpoints.map(({ callbackUrl }, at) => ({ address: callbackUrl, path: ['merchants', index, 'endpoints', at, 'callbackUrl'] })),
    ].flatMap(({ address, path }) => (/^http:/i.test(address ?? '') ? [path] : [])),
  );

/** Relaxations for a sandbox are refused in production (safety, T17; protocol decisions, section 6). */
export const productionFaults = (references: References): Fault[] => {
  const { allow, plainHttp } = references.egress;
  const loopback = allow.flatMap((text, index) => {
    const range = parseIpRange(text ?? '');
    return range !== undefined && touchesLoopback(range)
      ? [faultAt(['egress', 'allow', index], `opens loopback, refused ${PRODUCTION}`)]
      : [];
  });
  const isPlainHttp = plainHttp === true || plainHttp === 'true';
  const plain = isPlainHttp
    ? []
    : plainHttpAddresses(references).map((path) => faultAt(path, `must be https ${PRODUCTION}, or egress.plainHttp true`));
  return [...loopback, ...plain];
};
