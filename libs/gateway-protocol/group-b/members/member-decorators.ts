import { inspect } from 'node:util';
import { registerDecorator, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';
import type { MessageClass } from '../../shared/validation/message-fields';
import * as rules from './member-rules';
import { declareMember, isAbsent, type Siblings } from './member-table';

const VEIL = '[redacted]';

/**
 * Hides members when a message is logged or converted to JSON as a whole (safety, T32). To send such a message, build a
 * plain object.
 */
export const Redacted =
  (...members: readonly string[]): ClassDecorator =>
  (Message) => {
    function shown(this: object): Record<string, unknown> {
      const entries = Object.entries(this).filter(([, value]) => value !== undefined);
      return Object.fromEntries(entries.map(([name, value]) => [name, members.includes(name) ? VEIL : (value as unknown)]));
    }
    const prototype = Message.prototype as object;
    for (const name of ['toJSON', inspect.custom]) Object.defineProperty(prototype, name, { value: shown });
  };

interface MemberKind {
  readonly name: string;
  readonly rule: rules.MemberRule;
  readonly isRequired?: (siblings: Siblings) => boolean;
  readonly child?: MessageClass;
  readonly isCardNumber?: true;
  readonly constraints?: readonly unknown[];
}

/**
 * One constraint per member, because class-validator's cost depends on their number. Optional members also have
 * `IsOptional`.
 */
export const member =
  ({ name, rule, isRequired, child, isCardNumber, constraints = [] }: MemberKind): PropertyDecorator =>
  (target, property) => {
    if (typeof property !== 'string') throw new Error('the members of a message are named by text');
    const complaint = (value: unknown, siblings: Siblings): string | undefined => {
      if (isAbsent(value)) return isRequired?.(siblings) === false ? undefined : 'is required';
      return rule(value);
    };
    declareMember(target.constructor, {
      name: property,
      complaint,
      ...(isRequired && { isRequired }),
      ...(child && { child }),
      ...(isCardNumber && { isCardNumber }),
    });
    if (child !== undefined) ValidateNested()(target, property);
    // class-validator rejects null in nested validation; here null counts as missing.
    if (child !== undefined && isRequired !== undefined)
      ValidateIf((siblings: Siblings, value) => !isAbsent(value) || isRequired(siblings))(target, property);
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property,
      constraints: [...constraints],
      validator: {
        validate: (value: unknown, { object }: ValidationArguments) => complaint(value, object as Siblings) === undefined,
        defaultMessage: (found?: ValidationArguments) =>
          `${property} ${(found && complaint(found.value, found.object as Siblings)) ?? 'is not valid'}`,
      },
    });
  };

// The generator of the API description depends on these names.

export const Text = (min: number, max: number): PropertyDecorator =>
  member({ name: 'isLength', rule: rules.textOf(min, max), constraints: [min, max] });
/** Text covered by an HMAC: no control characters. */
export const SignedText = (min: number, max: number): PropertyDecorator =>
  member({ name: 'isSignedLength', rule: rules.signedTextOf(min, max), constraints: [min, max] });
/** Signed text that is also a URL path segment. */
export const PathSegment = (max: number): PropertyDecorator =>
  member({ name: 'isSignedLength', rule: rules.segmentOf(max), constraints: [1, max] });
export const Texts = (min: number, max: number): PropertyDecorator =>
  member({ name: 'isTextList', rule: rules.textsOf(min, max), constraints: [min, max] });
export const WholeNumber = (min: number, max: number): PropertyDecorator =>
  member({ name: 'isWholeNumber', rule: rules.wholeNumber(min, max), constraints: [min, max] });
export const RealNumber = (min: number, max: number): PropertyDecorator =>
  member({ name: 'isRealNumber', rule: rules.realNumber(min, max), constraints: [min, max] });
/** Minor units, above 0. */
export const AmountCentis = (): PropertyDecorator => WholeNumber(1, Number.MAX_SAFE_INTEGER);
/** Minor units, 0 or more. */
export const SumCentis = (): PropertyDecorator => WholeNumber(0, Number.MAX_SAFE_INTEGER);
export const Currency = (): PropertyDecorator => member({ name: 'isCurrency', rule: rules.currency });
export const CountryCode = (): PropertyDecorator => member({ name: 'isAlpha3Country', rule: rules.country });
export const CardNumber = (): PropertyDecorator => member({ name: 'isCardNumber', rule: rules.cardNumber, isCardNumber: true });
export const SecurityCode = (): PropertyDecorator => member({ name: 'isCvv2', rule: rules.securityCode });
export const Digits = (count: number): PropertyDecorator => member({ name: 'isDigits', rule: rules.digitsOf(count), constraints: [count] });
export const BirthDay = (): PropertyDecorator => member({ name: 'isBirthDay', rule: rules.birthDay });
export const ServerTime = (): PropertyDecorator => member({ name: 'isServerTime', rule: rules.serverTime });
export const OneOf = (values: readonly string[]): PropertyDecorator =>
  member({ name: 'isIn', rule: rules.oneOf(values), constraints: [values] });

export const Holds = (child: MessageClass): PropertyDecorator =>
  member({ name: 'isMember', rule: rules.object, child, constraints: [child] });

export const HoldsOneOf = (child: MessageClass, one: string, other: string): PropertyDecorator =>
  member({
    name: 'isOneOfMembers',
    child,
    constraints: [child, one, other],
    rule: (value) => {
      const complaint = rules.object(value);
      if (complaint !== undefined) return complaint;
      const held = value as Siblings;
      return isAbsent(held[one]) === isAbsent(held[other]) ? `must hold exactly one of ${one} and ${other}` : undefined;
    },
  });

export const TextUnless = (other: string, min: number, max: number): PropertyDecorator =>
  member({
    name: 'isLength',
    rule: rules.textOf(min, max),
    constraints: [min, max],
    isRequired: (siblings) => isAbsent(siblings[other]),
  });

export const inStates =
  (...states: readonly string[]) =>
  (siblings: Siblings): boolean =>
    states.some((state) => state === siblings['state']);
