import { getMetadataStorage } from 'class-validator';
import { lineageOf, type MessageClass } from '../../shared/validation/message-fields';
import { cardNumberOf, cardNumberSearch, holdsCardNumber } from '../../shared/card-number-echo';
import { CARD_NUMBER_LENGTH_MIN } from '../../shared/validation/field-rules';
import { INVOICE_ID_LENGTH_MAX } from '../device-limits';

/** The members beside one, as they were received. */
export type Siblings = Readonly<Record<string, unknown>>;

/** null counts as a missing member. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** One member of a JSON object, with its rule. */
interface Member {
  readonly name: string;
  /** Undefined where the value fits, else what is wrong, to follow the member's path: `must be ...`. Never repeats the value. */
  readonly complaint: (value: unknown, siblings: Siblings) => string | undefined;
  /** For a member whose presence depends on those beside it. */
  readonly isRequired?: (siblings: Siblings) => boolean;
  /** For an object, or a list of them, with members of its own. */
  readonly child?: MessageClass;
  /** A card number: it may stand in no other text of its message (protocol decisions, section 4). */
  readonly isCardNumber?: true;
}

interface TableMember extends Member {
  readonly isOptional: boolean;
}

const declared = new Map<object, Member[]>();
const tables = new Map<object, readonly TableMember[]>();

/** Called by each member's decorator, so in the order of the source. */
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
 * The members of a device message, inherited ones first. Known members are copied by this list and nothing else is (safety, T24 and T25).
 * @throws Error where the class declares no member
 */
export const membersOf = (Message: MessageClass): readonly TableMember[] => {
  const known = tables.get(Message);
  if (known !== undefined) return known;
  const table = tableOf(Message);
  tables.set(Message, table);
  return table;
};

/** Limits of every card number (interface, section 2.6). */
const NUMBER = 'number';
const NONE: readonly string[] = [];
const classOf = (message: object): MessageClass => message.constructor as MessageClass;

const withNumbers = new Map<MessageClass, boolean>();

/** Whether a card number can stand somewhere in messages of the class. */
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

/** The path of the first text that holds one of the numbers; where a number belongs, it may stand. */
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

/** Where a message that was read holds a card number of its own in another text; undefined where nowhere (protocol decisions, section 4; safety, T33). */
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
 * Whether an invoice id, which comes beside the body in the path, holds a card number of that body, whatever else is wrong with either (safety, T33).
 * @param json a body that was read strictly: its depth is bounded
 * @param invoiceId one that is longer than an invoice id can be is not looked at; it is not to be repeated either
 */
export const holdsCardNumberOf = (json: unknown, invoiceId: string): boolean => {
  if (typeof json !== 'object' || json === null) return false;
  if (invoiceId.length < CARD_NUMBER_LENGTH_MIN || invoiceId.length > INVOICE_ID_LENGTH_MAX) return false;
  return holdsNumberThat(json, cardNumberSearch(invoiceId));
};
