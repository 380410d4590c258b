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
  /** The arguments of the rule, for the generator of the API's description. */
  readonly constraints?: readonly unknown[];
}

/** One constraint a field: class-validator's cost lies in their number. An optional field has `IsOptional` beside it, which comes before this. */
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

/** A rule that is made with limits or values. */
const limited = (name: string, rule: rules.FieldRule, ...constraints: readonly unknown[]): PropertyDecorator =>
  plain(name, rule, undefined, constraints);

/** Required where `other` was sent, else absent. */
const beside = (name: string, rule: rules.FieldRule, other: string): PropertyDecorator =>
  field({ name, rule: () => rule, isRequired: (siblings) => siblings[other] !== undefined });

// Named as class-validator names its own where there is one: the generator of the API's description goes by these names.

/** Text of at most so many characters. */
export const MaxLength = (max: number): PropertyDecorator => limited('maxLength', rules.textOf(max), max);
/** The same for what a checksum covers: no control characters. */
export const SignedText = (max: number): PropertyDecorator => limited('signedText', rules.signedTextOf(max), max);
/** Text of at most so many bytes of UTF-8. */
export const MaxBytes = (max: number): PropertyDecorator => limited('maxBytes', rules.utf8Of(max), max);
export const IsAmount = (): PropertyDecorator => plain('isAmount', rules.amount);
/** As answers report it. Present where the other is: an amount and its currency come together or not at all. */
export const IsReportedAmountBeside = (other: string): PropertyDecorator => beside('isReportedAmount', rules.reportedAmount, other);
export const IsAmountList = (max: number): PropertyDecorator => plain('isAmountList', rules.amountList(max), rules.unpaddedAmounts, [max]);
export const IsCurrency = (): PropertyDecorator => plain('isCurrency', rules.currency);
/** Present where the other is. */
export const IsCurrencyBeside = (other: string): PropertyDecorator => beside('isCurrency', rules.currency, other);
export const IsCountry = (): PropertyDecorator => plain('isCountry', rules.country);
export const IsCardNumber = (): PropertyDecorator => plain('isCardNumber', rules.cardNumber);
/** Kept with two digits. */
export const IsExpiryMonth = (): PropertyDecorator => plain('isExpiryMonth', rules.expiryMonth, (text) => text.padStart(2, '0'));
/** Kept with four digits: two mean 20YY (protocol decisions, section 10). */
export const IsExpiryYear = (): PropertyDecorator =>
  plain('isExpiryYear', rules.expiryYear, (text) => (text.length === 2 ? `20${text}` : text));
export const IsCvv2 = (): PropertyDecorator => plain('isCvv2', rules.cvv2);
export const IsIpAddress = (): PropertyDecorator => plain('isIpAddress', rules.ipAddress);
export const IsEmailAddress = (max: number): PropertyDecorator => limited('isEmailAddress', rules.email(max), max);
export const IsWebAddress = (): PropertyDecorator => plain('isWebAddress', rules.webAddress);
export const IsIn = (values: readonly string[]): PropertyDecorator => limited('isIn', rules.oneOf(values), values);
export const IsCalendarDay = (): PropertyDecorator => plain('isCalendarDay', rules.calendarDay);
/** Mandatory where the country that `countryField` names has its states listed. */
export const IsStateOf = (countryField: string): PropertyDecorator =>
  field({
    name: 'isStateOf',
    rule: (siblings) => rules.stateIn(siblings[countryField]),
    isRequired: (siblings) => rules.isStateMandatoryIn(siblings[countryField]),
  });
