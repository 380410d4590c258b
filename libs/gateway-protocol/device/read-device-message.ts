import type { FieldRefusal, Validated } from '../validate-message';
import { holdsCardNumber } from '../card-number-echo';
import type { MessageClass } from '../message-fields';
import { readJson } from './json-reader';
import { isAbsent } from './member-decorators';
import { membersOf, type Siblings, type TableMember } from './member-table';
import { object } from './member-rules';

type Concrete<Message> = new () => Message;

/** What one reading has met so far. */
interface Reading {
  readonly cardNumbers: string[];
  readonly texts: { readonly path: string; readonly text: string }[];
  refused?: FieldRefusal;
}

const pathOf = (parent: string, name: string | number): string => (parent === '' ? String(name) : `${parent}.${name}`);

const refuse = (reading: Reading, field: string, complaint: string): undefined => {
  reading.refused = { field, message: `${field} ${complaint}` };
  return undefined;
};

const note = (reading: Reading, member: TableMember, path: string, value: unknown): void => {
  if (typeof value === 'string') {
    if (member.isCardNumber) reading.cardNumbers.push(value);
    else reading.texts.push({ path, text: value });
  } else if (Array.isArray(value)) {
    for (const text of value as readonly string[]) reading.texts.push({ path, text });
  }
};

const valueOf = (reading: Reading, member: TableMember, path: string, value: unknown): unknown => {
  const { child } = member;
  if (child === undefined) {
    note(reading, member, path, value);
    return value;
  }
  if (!Array.isArray(value)) return objectOf(reading, child, path, value as Siblings);
  const objects: object[] = [];
  for (const [index, entry] of (value as readonly Siblings[]).entries()) {
    const held = objectOf(reading, child, pathOf(path, index), entry);
    if (held === undefined) return undefined;
    objects.push(held);
  }
  return objects;
};

/** Undefined where the reading has ended in a refusal. */
const objectOf = (reading: Reading, Message: MessageClass, path: string, received: Siblings): object | undefined => {
  // Not by the constructor, which would define every optional member as undefined.
  const message = Object.create(Message.prototype as object) as Record<string, unknown>;
  for (const member of membersOf(Message)) {
    const value = received[member.name];
    if (member.isOptional && isAbsent(value)) continue;
    const memberPath = pathOf(path, member.name);
    const complaint = member.complaint(value, received);
    if (complaint !== undefined) return refuse(reading, memberPath, complaint);
    if (isAbsent(value)) continue;
    const held = valueOf(reading, member, memberPath, value);
    if (reading.refused !== undefined) return undefined;
    message[member.name] = held;
  }
  return message;
};

/**
 * The message that a JSON value holds, of unknown members nothing, null as absent; or the first member in the message's order that breaks its rule,
 * by its path and never with its value (interface, section 2.6; protocol decisions, section 8). No text of a message may hold a card number of the
 * same message (safety, T33).
 */
export const readDeviceMessage = <Message extends object>(Message: Concrete<Message>, json: unknown): Validated<Message> => {
  const complaint = object(json);
  if (complaint !== undefined) return { refused: { field: 'body', message: `body ${complaint}` } };
  const reading: Reading = { cardNumbers: [], texts: [] };
  const message = objectOf(reading, Message, '', json as Siblings);
  for (const number of reading.refused === undefined ? reading.cardNumbers : []) {
    const echo = reading.texts.find(({ text }) => holdsCardNumber(text, number));
    if (echo !== undefined) refuse(reading, echo.path, 'must not hold the card number');
  }
  return reading.refused === undefined ? { ok: message as Message } : { refused: reading.refused };
};

/** The same of a body as it came in. */
export const readDeviceBody = <Message extends object>(Message: Concrete<Message>, bytes: Uint8Array): Validated<Message> => {
  const json = readJson(bytes);
  return 'ok' in json ? readDeviceMessage(Message, json.ok) : json;
};

const cardNumbersOf = (message: object): readonly string[] =>
  membersOf(message.constructor as MessageClass).flatMap(({ name, child, isCardNumber }) => {
    const value = (message as Siblings)[name];
    if (isCardNumber) return typeof value === 'string' ? [value] : [];
    return child === undefined || typeof value !== 'object' || value === null || Array.isArray(value) ? [] : cardNumbersOf(value);
  });

/** Whether a text that came beside a message that was read, such as the invoice id of the path, holds a card number of that message (safety, T33). */
export const holdsOwnCardNumber = (message: object, text: string): boolean =>
  cardNumbersOf(message).some((number) => holdsCardNumber(text, number));
