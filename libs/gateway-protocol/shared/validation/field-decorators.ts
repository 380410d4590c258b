import { registerDecorator, type ValidationArguments } from 'class-validator';
import * as rules from './field-rules';
import { declareField } from './message-fields';

type Complaint = string | undefined;
type Siblings = Readonly<Record<string, string | undefined>>;

interface FieldKind {
  readonly name: string;
  readonly rule: (siblings: Siblings) => rules.FieldRule;
  readonly isRequired?: (siblings: Siblings) => boolean;
  readonly canonical?: (text: string) => string;
  /** Arguments of the rule, for the API description. */
  readonly constraints?: readonly unknown[];
}

/**
 * One constraint per field, because class-validator's cost depends on their number. Optional fields have `IsOptional`
 * before it.
 */
const field =
  ({ name, rule, isRequired, canonical, constraints = [] }: FieldKind): PropertyDecorator =>
  (target, property) => {
    if (typeof property !== 'string') throw new Error('the fields of a message are named by text');
    const complaintAbout = (value: unknown, siblings: Siblings): Complaint => {
      if (value === undefined) return isRequired?.(siblings) === false ? undefined : 'is required';
      if (typeof value !== 'string') return 'must be text';
      if (!rules.isWellFormed(value)) return 'must be well-formed Unicode';
      return rule(siblings)(value);
    };
    declareField(target.constructor, { name: property, canonical, isConditional: isRequired !== undefined });
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property,
      constraints: [...constraints],
      validator: {
        validate: (value: unknown, { object }: ValidationArguments) => complaintAbout(value, object as Siblings) === undefined,
        defaultMessage: (found?: ValidationArguments) =>
          `${property} ${found === undefined ? 'is not valid' : (complaintAbout(found.value, found.object as Siblings) ?? 'is not valid')}`,
      },
    });
  };

const plain = (
  name: string,
  rule: rules.FieldRule,
  canonical?: (text: string) => string,
  constraints: readonly unknown[] = [],
): PropertyDecorator => field({ name, rule: () => rule, constraints, ...(canonical === undefined ? {} : { canonical }) });

const limited = (name: string, rule: rules.FieldRule, ...constraints: readonly unknown[]): PropertyDecorator =>
  plain(name, rule, undefined, constraints);

/** Required if `other` was sent, else must be absent. */
const beside = (name: string, rule: rules.FieldRule, other: string): PropertyDecorator =>
  field({ name, rule: () => rule, isRequired: (siblings) => siblings[other] !== undefined });

// Uses class-validator's names if they exist, because the generator of the API description depends on them.

export const MaxLength = (max: number): PropertyDecorator => limited('maxLength', rules.textOf(max), max);
/** Text covered by a checksum: no control characters. */
export const SignedText = (max: number): PropertyDecorator => limited('signedText', rules.signedTextOf(max), max);
/** In bytes of UTF-8. */
export const MaxBytes = (max: number): PropertyDecorator => limited('maxBytes', rules.utf8Of(max), max);
export const IsAmount = (): PropertyDecorator => plain('isAmount', rules.amount);
/** A reported amount. Amount and currency are sent together or not at all. */
export const IsReportedAmountBeside = (other: string): PropertyDecorator => beside('isReportedAmount', rules.reportedAmount, other);
export const IsAmountList = (max: number): PropertyDecorator => plain('isAmountList', rules.amountList(max), rules.unpaddedAmounts, [max]);
export const IsCurrency = (): PropertyDecorator => plain('isCurrency', rules.currency);
export const IsCurrencyBeside = (other: string): PropertyDecorator => beside('isCurrency', rules.currency, other);
export const IsCountry = (): PropertyDecorator => plain('isCountry', rules.country);
export const IsCardNumber = (): PropertyDecorator => plain('isCardNumber', rules.cardNumber);
export const IsExpiryMonth = (): PropertyDecorator => plain('isExpiryMonth', rules.expiryMonth, (text) => text.padStart(2, '0'));
/** Stored with four digits: two mean 20YY (protocol decisions, section 10). */
export const IsExpiryYear = (): PropertyDecorator =>
  plain('isExpiryYear', rules.expiryYear, (text) => (text.length === 2 ? `20${text}` : text));
export const IsCvv2 = (): PropertyDecorator => plain('isCvv2', rules.cvv2);
export const IsIpAddress = (): PropertyDecorator => plain('isIpAddress', rules.ipAddress);
export const IsEmailAddress = (max: number): PropertyDecorator => limited('isEmailAddress', rules.email(max), max);
export const IsWebAddress = (): PropertyDecorator => plain('isWebAddress', rules.webAddress);
export const IsIn = (values: readonly string[]): PropertyDecorator => limited('isIn', rules.oneOf(values), values);
export const IsCalendarDay = (): PropertyDecorator => plain('isCalendarDay', rules.calendarDay);
/** Mandatory if the country in `countryField` has listed states. */
export const IsStateOf = (countryField: string): PropertyDecorator =>
  field({
    name: 'isStateOf',
    rule: (siblings) => rules.stateIn(siblings[countryField]),
    isRequired: (siblings) => rules.isStateMandatoryIn(siblings[countryField]),
  });
