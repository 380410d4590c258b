import { getMetadataStorage } from 'class-validator';
import { lineageOf, type MessageClass } from '../../shared/validation/message-fields';
import { cardNumberOf, cardNumberSearch, holdsCardNumber } from '../../shared/card-number-echo';
import { CARD_NUMBER_LENGTH_MIN } from '../../shared/validation/field-rules';
import { INVOICE_ID_LENGTH_MAX } from '../device-limits';

export type Siblings = Readonly<Record<string, unknown>>;

/** null counts as missing. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

interface Member {
  readonly name: string;
  /** What is wrong, to follow the member's path: `must be ...`. Undefined if valid. Never repeats the value. */
  readonly complaint: (value: unknown, siblings: Siblings) => string | undefined;
  readonly isRequired?: (siblings: Siblings) => boolean;
  readonly child?: MessageClass;
  /** A card number, which no other text of the message may contain (protocol decisions, section 4). */
  readonly isCardNumber?: true;
}

interface TableMember extends Member {
  readonly isOptional: boolean;
}

const declared = new Map<object, Member[]>();
const tables = new Map<object, readonly TableMember[]>();

export const declareMember = (Message: object, member: Member): void => {
  const members = declared.get(Message);
  if (members === undefined) declared.set(Message, [member]);
  else members.push(member);
};

const tableOf = (Message: MessageClass): readonly TableMember[] => {
  const conditional = getMetadataStorage()
    .getTargetValidationMetadatas(Message, '', false, false)
    .filter(({ type }) => type === 'conditionalValidation');
  const optional = new Set(conditional.map(({ propertyName }) => propertyName));
  const table = lineageOf(Message).flatMap((link) => declared.get(link) ?? []);
  if (table.length === 0) throw new Error(`${Message.name} declares no member`);
  return table.map((member) => ({ ...member, isOptional: member.isRequired === undefined && optional.has(member.name) }));
};

/**
 * Members of a device message, inherited ones first. Only these members are copied (safety, T24 and T25).
 * @throws Error if the class declares none
 */
export const membersOf = (Message: MessageClass): readonly TableMember[] => {
  const known = tables.get(Message);
  if (known !== undefined) return known;
  const table = tableOf(Message);
  tables.set(Message, table);
  return table;
};

const NUMBER = 'number';
const NONE: readonly string[] = [];
const classOf = (message: object): MessageClass => message.constructor as MessageClass;

const withNumbers = new Map<MessageClass, boolean>();

const canHoldNumber = (Message: MessageClass): boolean => {
  const known = withNumbers.get(Message);
  if (known !== undefined) return known;
  const can = membersOf(Message).some(({ child, isCardNumber }) => isCardNumber ?? (child !== undefined && canHoldNumber(child)));
  withNumbers.set(Message, can);
  return can;
};

const numbersOf = (message: object): readonly string[] =>
  membersOf(classOf(message)).flatMap(({ name, child, isCardNumber }) => {
    const value = (message as Siblings)[name];
    if (isCardNumber) return typeof value === 'string' ? [value] : NONE;
    return child !== undefined && canHoldNumber(child) && typeof value === 'object' && value !== null ? numbersOf(value) : NONE;
  });

const isEcho = (text: unknown, numbers: readonly string[]): boolean =>
  typeof text === 'string' && numbers.some((number) => holdsCardNumber(text, number));

/** The path of the first text that contains one of the numbers, except card number members. */
const pathOfEcho = (message: object, numbers: readonly string[]): string | undefined => {
  for (const { name, child, isCardNumber } of membersOf(classOf(message))) {
    const value = (message as Siblings)[name];
    if (value === undefined || isCardNumber) continue;
    if (child === undefined) {
      if (Array.isArray(value) ? value.some((text) => isEcho(text, numbers)) : isEcho(value, numbers)) return name;
      continue;
    }
    for (const held of Array.isArray(value) ? (value as readonly object[]) : [value as object]) {
      const below = pathOfEcho(held, numbers);
      if (below !== undefined) return `${name}.${below}`;
    }
  }
  return undefined;
};

/** The path of a text that contains a card number of the same message (protocol decisions, section 4; safety, T33). */
export const echoIn = (message: object): string | undefined => {
  if (!canHoldNumber(classOf(message))) return undefined;
  const numbers = numbersOf(message);
  return numbers.length === 0 ? undefined : pathOfEcho(message, numbers);
};

const holdsNumberThat = (json: object, isHeld: (cardNumber: string) => boolean): boolean => {
  for (const name of Object.keys(json)) {
    const value = (json as Siblings)[name];
    if (typeof value === 'object' && value !== null) {
      if (holdsNumberThat(value, isHeld)) return true;
      continue;
    }
    const number = name === NUMBER && typeof value === 'string' ? cardNumberOf(value) : undefined;
    if (number !== undefined && isHeld(number)) return true;
  }
  return false;
};

/**
 * Whether the invoice id of the path contains a card number of the body, even if both are invalid (safety, T33).
 * @param json read strictly, so its depth is bounded
 * @param invoiceId ignored if it is too long for an invoice id
 */
export const holdsCardNumberOf = (json: unknown, invoiceId: string): boolean => {
  if (typeof json !== 'object' || json === null) return false;
  if (invoiceId.length < CARD_NUMBER_LENGTH_MIN || invoiceId.length > INVOICE_ID_LENGTH_MAX) return false;
  return holdsNumberThat(json, cardNumberSearch(invoiceId));
};
