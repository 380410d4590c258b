import { getMetadataStorage } from 'class-validator';
import { lineageOf, type MessageClass } from '../../shared/validation/message-fields';

/** The members beside one, as they were received. */
export type Siblings = Readonly<Record<string, unknown>>;

/** null counts as a missing member. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** One member of a JSON object, with its rule. */
export interface Member {
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

export interface TableMember extends Member {
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
