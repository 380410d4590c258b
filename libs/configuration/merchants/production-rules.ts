import type { AdapterSchema } from '../gates/gate-settings';
import { faultAt, type Fault, type Path } from '../reading/fault';
import { parseIpRange, touchesLoopback } from '../reading/ip-range';
import type { References } from './references';

const PRODUCTION = 'when NODE_ENV=production';

const isOn = (flag: boolean | string | undefined): boolean => flag === true || flag === 'true';

const plainHttpAddresses = ({ merchants }: References): Path[] =>
  merchants.flatMap(({ merchantUrl, endpoints }, index) =>
    [
      { address: merchantUrl, path: ['merchants', index, 'merchantUrl'] },
      ...endpoints.map(({ callbackUrl }, at) => ({ address: callbackUrl, path: ['merchants', index, 'endpoints', at, 'callbackUrl'] })),
    ].flatMap(({ address, path }) => (/^http:/i.test(address ?? '') ? [path] : [])),
  );

/** Relaxations for a sandbox are refused in production (safety, T17; protocol decisions, section 6). */
export const productionFaults = (references: References, adapters: readonly AdapterSchema[]): Fault[] => {
  const { allow, plainHttp } = references.egress;
  const loopback = allow.flatMap((text, index) => {
    const range = parseIpRange(text ?? '');
    return range !== undefined && touchesLoopback(range)
      ? [faultAt(['egress', 'allow', index], `opens loopback, refused ${PRODUCTION}`)]
      : [];
  });
  const plain = isOn(plainHttp)
    ? []
    : plainHttpAddresses(references).map((path) => faultAt(path, `must be https ${PRODUCTION}, or egress.plainHttp true`));
  const simulated = references.gates.flatMap(({ adapter, allowInProduction }, index) =>
    adapters.some(({ name, isSimulated }) => name === adapter && isSimulated === true) && !isOn(allowInProduction)
      ? [faultAt(['gates', index, 'adapter'], `approves cards and charges nobody: refused ${PRODUCTION}, unless allowInProduction is true`)]
      : [],
  );
  return [...loopback, ...plain, ...simulated];
};
