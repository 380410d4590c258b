import { getMetadataStorage } from 'class-validator';
import type { JsonSchema, MessageClass } from '@app/gateway-protocol';
import { sourceField } from '../documents/message-source';

/** Rules of members that are objects, or lists of objects. */
const CHILD_RULES: ReadonlySet<string> = new Set(['isMember', 'isMemberList', 'isOneOfMembers']);

const childOf = (Message: MessageClass, name: string): MessageClass | undefined =>
  getMetadataStorage()
    .getTargetValidationMetadatas(Message, '', false, false)
    .filter(({ propertyName, name: rule }) => propertyName === name && rule !== undefined && CHILD_RULES.has(rule))
    .map(({ constraints }) => (constraints as readonly unknown[])[0] as MessageClass)[0];

const withText = (schema: JsonSchema, meaning: string): JsonSchema => (meaning === '' ? schema : { ...schema, description: meaning });

/** Describes each member by its docstring, or by its rule's message if it has none. */
export const described = (Message: MessageClass, schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, member]) => {
      const child = childOf(Message, name);
      const items = child !== undefined && member.items !== undefined ? { items: described(child, member.items) } : {};
      const inner = child === undefined || member.items !== undefined ? { ...member, ...items } : described(child, member);
      return [name, withText(inner, sourceField(Message.name, name).meaning)];
    }),
  ),
});
