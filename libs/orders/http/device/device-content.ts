import type { DeviceOperation } from '@app/gateway-protocol';

/** A repeat of a perform may come with or without it (protocol decisions, section 8). */
const NOT_CONTENT = 'securityCode';

/** Adds path and value of each member, sorted by name: the log keeps digests of them for ever, and the order of declarations in a class may change. */
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

/** Two performs of an invoice are equal where operation, endpoint and every member but the security code are. */
export const performContent = (operation: DeviceOperation, endpointId: string, message: object): readonly string[] => {
  const content: string[] = [operation, endpointId];
  addMembers(content, '', message);
  return content;
};
