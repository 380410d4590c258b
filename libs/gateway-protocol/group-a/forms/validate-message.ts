import { Validator, type ValidatorOptions } from 'class-validator';
import { parseAmount, type NonEmpty } from '@app/kernel';
import { holdsCardNumber, cardNumberOf } from '../../shared/card-number-echo';
import { parseRequestAmount } from '../../shared/request-texts';
import * as rules from '../../shared/validation/field-rules';
import { rememberRules, fieldsOf, type FieldRefusal, type Validated } from '../../shared/validation/message-fields';
import type { Form } from './form-codec';
import { CLIENT_ORDERID_LENGTH_MAX } from '../messages/limits';

export const CARD_NUMBER_FIELD = 'credit_card_number';

/** The card number of a request, also if the operation has no such field: it must never become a text. */
export const cardNumberIn = (form: Form): string | undefined => cardNumberOf(form.text(CARD_NUMBER_FIELD));

rememberRules();
const validator = new Validator();
const OPTIONS: ValidatorOptions = {
  stopAtFirstError: true,
  forbidUnknownValues: true,
  // With target or value, an error would contain card data.
  validationError: { target: false, value: false },
};

/**
 * The trimmed message, without unknown parameters and empty values. Or the first field that contains the request's card
 * number, else the first invalid one (interface, section 2.1; protocol decisions, section 4; safety, T33).
 */
export const validateMessage = <Message extends object>(Message: new () => Message, form: Form): Validated<Message> => {
  const fields = fieldsOf(Message);
  // The constructor would define every optional field as undefined.
  const message = Object.create(Message.prototype as object) as Message & Record<string, string>;
  const values: Record<string, string> = message;
  for (const { name, canonical } of fields) {
    const text = form.text(name);
    if (text !== '') values[name] = canonical === undefined ? text : canonical(text);
  }
  const echo = fieldWithCardNumber(values, form);
  if (echo !== undefined) return { refused: { field: echo, message: `${echo} must not hold the card number` } };
  const errors = validator.validateSync(message, OPTIONS);
  if (errors.length === 0) return { ok: message };
  for (const { name } of fields) {
    const error = errors.find(({ property }) => property === name);
    if (error !== undefined)
      return { refused: { field: name, message: Object.values(error.constraints ?? {})[0] ?? `${name} is not valid` } };
  }
  throw new Error(`${Message.name} has a rule on a field that is not in its table`);
};

const fieldWithCardNumber = (values: Readonly<Record<string, string>>, form: Form): string | undefined => {
  const cardNumber = cardNumberIn(form);
  if (cardNumber === undefined) return undefined;
  return Object.entries(values).find(([name, value]) => name !== CARD_NUMBER_FIELD && holdsCardNumber(value, cardNumber))?.[0];
};

/**
 * An amount in minor units, read before the checksum that covers it (protocol decisions, section 4: order of checks).
 * @param use `optional` in follow-ups, which may repeat a reported amount
 */
export const readAmount = (
  form: Form,
  use: 'required' | 'optional' = 'required',
): { readonly ok: bigint } | { readonly refused: FieldRefusal } => {
  const [parse, rule] = use === 'optional' ? [parseAmount, rules.reportedAmount] : [parseRequestAmount, rules.amount];
  const [field, text] = ['amount', form.text('amount')];
  const minor = parse(text);
  if (minor !== undefined) return { ok: minor };
  return { refused: { field, message: `${field} ${text === '' ? 'is required' : (rule(text) ?? 'is not valid')}` } };
};

const clientOrderIdRule = rules.signedTextOf(CLIENT_ORDERID_LENGTH_MAX);

/**
 * The merchant-order-id of a refusal (protocol decisions, section 4); undefined if invalid or if it contains the card
 * number.
 */
export const readClientOrderId = (form: Form): string | undefined => {
  const text = form.text('client_orderid');
  if (text === '' || clientOrderIdRule(text) !== undefined) return undefined;
  const cardNumber = cardNumberIn(form);
  return cardNumber !== undefined && holdsCardNumber(text, cardNumber) ? undefined : text;
};

/**
 * Amounts in minor units.
 * @throws Error for a text that `IsAmountList` did not accept
 */
export const amountsOf = (validated: string): NonEmpty<bigint> => {
  const amounts = rules.parseAmounts(validated);
  if (amounts === undefined) throw new Error('a list of amounts that was never validated');
  return amounts;
};
