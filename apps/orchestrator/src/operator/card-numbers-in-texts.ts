import 'reflect-metadata';
import { looksLikeCardNumber, looksLikeCardNumberInReference } from '@app/event-store';

const REFERENCE = 'operator:reference';
const NOT_ON_RECORD = 'operator:not-on-record';
const always = (): boolean => true;

/** Marks a member that holds a reference, a digest or a sum and no text that a person typed. @param applies whether it does in this message */
export const Reference =
  <Message extends object>(applies: (message: Message) => boolean = always) =>
  (target: Message, property: string): void =>
    Reflect.defineMetadata(REFERENCE, applies, target, property);

/**
 * Marks a member whose text is nowhere on record, at most in a keyed digest: where a page goes on, as the service told it. A mark in hex or a position of the
 * log may be what passes for a card number, and a list would end in its middle.
 */
export const NotOnRecord = (): PropertyDecorator => (target, property) =>
  Reflect.defineMetadata(NOT_ON_RECORD, true, target, String(property));

const holdsCardNumber = (message: object, name: string, text: string): boolean => {
  if (Reflect.hasMetadata(NOT_ON_RECORD, message, name)) return false;
  const isReference = Reflect.getMetadata(REFERENCE, message, name) as ((message: object) => boolean) | undefined;
  return isReference?.(message) === true ? looksLikeCardNumberInReference(text) : looksLikeCardNumber(text);
};

/**
 * What is wrong where a text of a message, or of what is nested in it, looks like a card number: a person may have pasted one, and what an operator
 * sends is stored, readable or sealed. It is the one rule for all messages of the port, so that a new member is searched unless it is marked.
 */
export const cardNumberFault = (message: object): string | undefined => {
  for (const [name, value] of Object.entries(message) as readonly (readonly [string, unknown])[]) {
    if (typeof value === 'string' && holdsCardNumber(message, name, value)) return `${name} must not hold what looks like a card number`;
    const below = typeof value === 'object' && value !== null ? cardNumberFault(value) : undefined;
    if (below !== undefined) return `${name}: ${below}`;
  }
  return undefined;
};
