import type { DeviceOperation } from '@app/gateway-protocol';

/** Not part of what was asked for: a repeat may bring it or not (protocol decisions, section 8). */
const NOT_CONTENT = 'securityCode';

/** Path and value of each member, in the order of their names: digests are kept for ever, and the order of a message's members is the source's. */
const addMembers = (content: string[], path: string, value: unknown): void => {
  if (typeof value !== 'object' || value === null) {
    content.push(path, String(value));
    return;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members).sort()) {
    if (name !== NOT_CONTENT && members[name] !== undefined) addMembers(content, `${path}.${name}`, members[name]);
  }
};

/** What makes two performs of an invoice equal: operation, endpoint, and every member but the security code. */
export const performContent = (operation: DeviceOperation, endpointId: string, message: object): readonly string[] => {
  const content: string[] = [operation, endpointId];
  addMembers(content, '', message);
  return content;
};
