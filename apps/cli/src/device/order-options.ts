import type { CardInHand, Destination, DeviceOrder, Source } from '@app/device-client';
import type { DeviceOperation } from '@app/gateway-protocol';
import { parseAmount, Secret } from '@app/kernel';
import { CommandFailed, EXIT } from '../command-failed';
import type { TypedSecrets } from './typed-secrets';

/** The order's options, as they came from the command line. */
export interface OrderOptions {
  readonly email: string;
  readonly birthday?: string;
  readonly currency: string;
  readonly amount?: string;
  readonly card?: string;
  readonly expiry?: string;
  readonly holder?: string;
  readonly cvv?: string;
  readonly to?: string;
  readonly description?: string;
}

const REFERENCE = 'ref:';
const GROUPED_DIGITS = /^\d[\d -]{7,30}$/;
const EXPIRY = /^(\d{1,2})\/(\d{4})$/;
const BIN_LENGTH = 6;

const CARD_WORDS = 'a card number or a reference; - takes a line of standard input, @path of a file';

/** Groups of digits are a card number; any other text, and any text after `ref:`, is the clientCardId of a card that was used before. */
type NamedCard = { readonly number: Secret<string> } | { readonly clientCardId: string };

const namedCard = (typed: Secret<string>): NamedCard => {
  const text = typed.reveal();
  if (text.startsWith(REFERENCE)) return { clientCardId: text.slice(REFERENCE.length) };
  return GROUPED_DIGITS.test(text) ? { number: new Secret(text.replace(/[ -]/g, '')) } : { clientCardId: text };
};

const required = <Value>(value: Value | undefined, option: string, what: string): Value => {
  if (value === undefined) throw new CommandFailed(`${option} is needed: ${what}`, EXIT.usage);
  return value;
};

const amountOf = (text: string): bigint => {
  const minor = parseAmount(text);
  if (minor === undefined) throw new CommandFailed('--amount is in major units with a dot, at most two decimals: 10.42', EXIT.usage);
  return minor;
};

const expiryOf = (text: string): CardInHand['expiry'] => {
  const [, month, year] = EXPIRY.exec(text) ?? [];
  if (month === undefined || year === undefined)
    throw new CommandFailed('--expiry is a month and a year of four digits: 12/2035', EXIT.usage);
  return { month: Number(month), year: Number(year) };
};

/** The order of an operation, with every secret read from its source. @throws CommandFailed in one line that holds no secret */
export const orderOf = async (operation: DeviceOperation, options: OrderOptions, secrets: TypedSecrets): Promise<DeviceOrder> => {
  const { email, birthday: birthDay, currency, description } = options;
  const amount = operation === 'verification' ? undefined : amountOf(required(options.amount, '--amount', 'how much'));
  const paying = namedCard(required(await secrets.read('--card', options.card, 'Card number, or its reference: '), '--card', CARD_WORDS));
  const receiving = operation === 'transfer' ? await receivingCard(options, secrets) : undefined;
  const common = { currency, email, birthDay, ...(description !== undefined && { details: { description } }) };
  if (amount === undefined) {
    if (!('number' in paying)) throw new CommandFailed('a reference cannot be verified: --card is to be a card number', EXIT.usage);
    return { ...common, operation: 'verification', card: await cardInHand(paying.number, options, secrets) };
  }
  const paid = { ...common, amountCentis: amount, source: await sourceOf(paying, options, secrets) };
  if (receiving === undefined) return { ...paid, operation: 'sale' };
  const destination: Destination = 'number' in receiving ? { card: receiving } : { reference: receiving };
  return { ...paid, operation: 'transfer', destination, fromBin: binOf(paying), toBin: binOf(receiving) };
};

const receivingCard = async (options: OrderOptions, secrets: TypedSecrets): Promise<NamedCard> =>
  namedCard(required(await secrets.read('--to', options.to, 'Card that receives, or its reference: '), '--to', CARD_WORDS));

const cardInHand = async (number: Secret<string>, options: OrderOptions, secrets: TypedSecrets): Promise<CardInHand> => {
  const expiry = expiryOf(required(options.expiry, '--expiry', 'of the card, as 12/2035'));
  const printedName = required(options.holder, '--holder', 'the name on the card');
  const securityCode = required(await secrets.read('--cvv', options.cvv, 'Security code: '), '--cvv', 'the security code of the card');
  return { number, securityCode, expiry, holder: { printedName } };
};

const sourceOf = async (card: NamedCard, options: OrderOptions, secrets: TypedSecrets): Promise<Source> => {
  if ('number' in card) return { card: await cardInHand(card.number, options, secrets) };
  // With a reference the gate may need no CVV, so that the verb does not ask for it.
  const securityCode = options.cvv === undefined ? undefined : await secrets.read('--cvv', options.cvv, '');
  return { reference: { clientCardId: card.clientCardId, securityCode } };
};

const binOf = (card: NamedCard): string | undefined => ('number' in card ? card.number.reveal().slice(0, BIN_LENGTH) : undefined);
