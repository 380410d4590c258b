import { getMetadataStorage } from 'class-validator';
import { AMOUNT_LENGTH_MAX } from '@app/kernel';
import { LIST_LENGTH_MAX } from './group-b/device-limits';
import { membersOf } from './group-b/members/member-table';
import { fieldsOf, type MessageClass } from './shared/validation/message-fields';
import { WEB_ADDRESS_LENGTH_MAX } from './shared/request-texts';

export interface JsonSchema {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly type?: 'string' | 'object' | 'array' | 'integer' | 'number' | 'boolean' | readonly string[];
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly $ref?: string;
}

const AMOUNT = '(0|[1-9]\\d{0,9})(\\.\\d{1,2}|\\.\\d{2}0+)?';
const text = (facts: Omit<JsonSchema, 'type'>): JsonSchema => ({ type: 'string', ...facts });

const SCHEMAS: Readonly<Record<string, (constraints: readonly unknown[]) => JsonSchema>> = {
  maxLength: ([max]) => text({ maxLength: Number(max) }),
  signedText: ([max]) => text({ maxLength: Number(max), pattern: '^\\P{Cc}*$' }),
  maxBytes: ([max]) => text({ maxLength: Number(max), description: `At most ${Number(max)} bytes of UTF-8.` }),
  isAmount: () =>
    text({
      maxLength: AMOUNT_LENGTH_MAX,
      pattern: `^${AMOUNT}$`,
      description:
        'Major units with a dot: 10.5 is ten units and fifty minor units. At most 10 characters before any zeros that follow two decimals.',
    }),
  isReportedAmount: () =>
    text({
      maxLength: AMOUNT_LENGTH_MAX,
      pattern: `^${AMOUNT}$`,
      description: 'Major units with a dot, as answers report them: 10.5 is ten units and fifty minor units.',
    }),
  isAmountList: ([max]) =>
    text({ maxLength: Number(max), pattern: `^${AMOUNT}(,${AMOUNT})*$`, description: 'Amounts separated by commas.' }),
  isCurrency: () => text({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
  isCountry: () => text({ pattern: '^[A-Z]{2}$', description: 'ISO 3166 alpha-2.' }),
  isCardNumber: () => text({ pattern: '^\\d{9,19}$', description: 'With a valid check digit (Luhn).' }),
  isExpiryMonth: () => text({ pattern: '^(0?[1-9]|1[0-2])$' }),
  isExpiryYear: () => text({ pattern: '^(\\d{2}|[1-9]\\d{3})$', description: 'Two digits are taken as 20YY.' }),
  isCvv2: () => text({ pattern: '^\\d{3,4}$' }),
  isIpAddress: () => text({ maxLength: 45, description: 'IPv4 or IPv6.' }),
  isEmailAddress: ([max]) => text({ maxLength: Number(max), format: 'email' }),
  isWebAddress: () => text({ maxLength: WEB_ADDRESS_LENGTH_MAX, format: 'uri' }),
  isIn: ([values]) => text({ enum: [...(values as readonly string[])] }),
  isCalendarDay: () => text({ pattern: '^\\d{8}$', description: 'YYYYMMDD.' }),
  isStateOf: () => text({ pattern: '^.{2,3}$', description: 'Mandatory for the USA, Canada and Australia.' }),
  isLength: ([min, max]) => text({ minLength: Number(min), maxLength: Number(max) }),
  isSignedLength: ([min, max]) => text({ minLength: Number(min), maxLength: Number(max), pattern: '^\\P{Cc}*$' }),
  isTextList: ([min, max]) => ({
    type: 'array',
    items: text({ minLength: Number(min), maxLength: Number(max) }),
    maxItems: LIST_LENGTH_MAX,
  }),
  isWholeNumber: ([minimum, maximum]) => ({ type: 'integer', minimum: Number(minimum), maximum: Number(maximum) }),
  isRealNumber: ([minimum, maximum]) => ({ type: 'number', minimum: Number(minimum), maximum: Number(maximum) }),
  isAlpha3Country: () => text({ pattern: '^[A-Z]{3}$', description: 'ISO 3166 alpha-3.' }),
  isDigits: ([count]) => ({
    oneOf: [
      text({ pattern: `^\\d{${Number(count)}}$` }),
      { type: 'integer', minimum: 10 ** (Number(count) - 1), maximum: 10 ** Number(count) - 1 },
    ],
  }),
  isBirthDay: () => text({ pattern: '^\\d{8}$', description: 'ddMMyyyy.' }),
  isServerTime: () => text({ description: 'YYYY-MM-DD HH:mm:ss ZZZ.' }),
  isWebAddressOf: ([max]) => text({ maxLength: Number(max), format: 'uri' }),
  isMember: ([Child]) => deviceSchema(Child as MessageClass),
  isMemberList: ([Child]) => ({ type: 'array', items: deviceSchema(Child as MessageClass), minItems: 1, maxItems: LIST_LENGTH_MAX }),
  isOneOfMembers: ([Child, ...names]) => ({
    ...deviceSchema(Child as MessageClass),
    oneOf: names.map((name) => ({ properties: { [String(name)]: {} }, required: [String(name)] })),
  }),
};

const CONDITIONAL = 'conditionalValidation';
/** Another rule covers its schema. */
const NESTED = 'nestedValidation';

/**
 * Built from the validation rules, so that limits have one source.
 * @throws Error for a rule without a schema here
 */
const schemaOf = (Message: MessageClass, names: readonly string[], conditional: ReadonlySet<string>): JsonSchema => {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Message, '', false, false);
  const optional = new Set(rules.filter(({ type }) => type === CONDITIONAL).map(({ propertyName }) => propertyName));
  const properties = names.map((name): readonly [string, JsonSchema] => {
    const own = rules.filter(({ propertyName, type }) => propertyName === name && type !== CONDITIONAL && type !== NESTED);
    const schemas = own.map(({ name: rule = '', constraints = [] }) => {
      const schema = SCHEMAS[rule];
      if (schema === undefined) throw new Error(`${Message.name}.${name}: the rule ${rule} has no schema`);
      return schema(constraints as readonly unknown[]);
    });
    return [name, Object.assign({}, ...schemas) as JsonSchema];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: names.filter((name) => !optional.has(name) && !conditional.has(name)),
  };
};

/** A form of Group A in table order; unknown fields are ignored (protocol decisions, section 3). */
export const formSchema = (Message: MessageClass): JsonSchema => {
  const fields = fieldsOf(Message);
  const conditional = new Set(fields.filter(({ isConditional }) => isConditional).map(({ name }) => name));
  return schemaOf(
    Message,
    fields.map(({ name }) => name),
    conditional,
  );
};

/** A device message with nested objects; unknown members are ignored (protocol decisions, section 8). */
export const deviceSchema = (Message: MessageClass): JsonSchema => {
  const members = membersOf(Message);
  const conditional = new Set(members.filter(({ isRequired }) => isRequired !== undefined).map(({ name }) => name));
  return schemaOf(
    Message,
    members.map(({ name }) => name),
    conditional,
  );
};

/** A response with fields in wire order; those in `always` are required. */
export const answerSchema = (fields: readonly string[], always: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
  required: always.filter((name) => fields.includes(name)),
});
