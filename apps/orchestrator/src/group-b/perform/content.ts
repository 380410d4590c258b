import type { DeviceOperation } from '@app/gateway-protocol';

/** Not part of what was asked for: a repeat may bring it or not (protocol decisions, section 8). */
const NOT_CONTENT = 'securityCode';

/** Path and value of each member, in the order of their names: digests are kept for ever, and the order of a message's members is the source's. */
const membersOf = (path: string, value: unknown): readonly (readonly [path: string, value: string])[] => {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value)
    .filter(([name, member]) => name !== NOT_CONTENT && member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, member]) => membersOf(`${path}.${name}`, member));
};

/** What makes two performs of an invoice equal: operation, endpoint, and every member but the security code. */
export const performContent = (operation: DeviceOperation, endpointId: string, message: object): readonly string[] => [
  operation,
  endpointId,
  ...membersOf('', message).flat(),
];
