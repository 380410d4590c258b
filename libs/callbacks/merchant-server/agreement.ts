import { alpha2Of, present } from '@app/kernel';
import type { Billing, Holder } from '@app/gateway-protocol';
import { type Customer, ADDRESS_SEPARATOR } from '@app/orders/domain';
import type { CheckAnswer } from './check-call';

/** The holder's name as printed on the card, or joined in that form (interface, section 2.6). */
export const holderName = ({ printedName, firstName = '', lastName = '' }: Holder): string =>
  printedName ?? `${firstName} ${lastName}`.trim();

/** From ddMMyyyy to the merchant API's YYYYMMDD (interface, section 2.6; protocol decisions, section 10). */
export const birthdayOf = (birthDay: string): string => birthDay.slice(4) + birthDay.slice(2, 4) + birthDay.slice(0, 2);

export const billingTexts = ({ address, phone }: Billing): Partial<Customer> => {
  const { city, country, postcodeZip, state, street } = address ?? {};
  return present({
    phone,
    country: country === undefined ? undefined : alpha2Of(country),
    state,
    city,
    zipCode: postcodeZip,
    address1: street,
  });
};

export type Texts = ReadonlyMap<string, string>;

export interface SentTexts {
  readonly currency: string;
  readonly customer: Texts;
  readonly details: Texts;
  readonly device: Texts;
  /**
   * From the order that mapped the source card. If the app gives a reference, it may omit unchanged texts (protocol decisions, section 8).
   */
  readonly mapped?: Texts;
}

export interface Filled {
  readonly customer?: Texts;
  readonly details?: Texts;
}

const EMAIL = 'email';
const IP_ADDRESS = 'ipAddress';

const customerIn = ({ email, birthDay, billing }: CheckAnswer): Texts =>
  new Map(
    Object.entries({
      ...(email !== undefined && { [EMAIL]: email }),
      ...billingTexts(billing ?? {}),
      ...(birthDay !== undefined && { birthday: birthdayOf(birthDay) }),
    }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

const isSame = (sent: Texts, answered: Texts): boolean =>
  [...answered].every(([name, text]) => (sent.get(name) ?? '') === '' || sent.get(name) === text);

const isSameSet = (some: readonly string[], others: readonly string[]): boolean => {
  const left = new Set(some);
  const right = new Set(others);
  return left.size === right.size && [...left].every((text) => right.has(text));
};

/** Only the device sends the second street line: an answer cannot add it but must not contradict it. */
const isSameStreet = (device: Texts, billing: Billing | undefined): boolean => {
  const sent = device.get('street2');
  const answered = billing?.address?.street2;
  return sent === undefined || answered === undefined || sent === answered;
};

/** If the mapping has an e-mail address, the answer must repeat it, and so must the app if it sends one (protocol decisions, section 8). */
const isMappedEmail = (sent: Texts, mapped: Texts | undefined, answered: string | undefined): boolean => {
  const carried = mapped?.get(EMAIL);
  return carried === undefined || (answered === carried && (sent.get(EMAIL) ?? carried) === carried);
};

const filled = (own: Texts, ...sources: readonly Texts[]): Texts | undefined => {
  const whole = new Map(own);
  for (const source of sources) for (const [name, text] of source) if ((whole.get(name) ?? '') === '') whole.set(name, text);
  const isChanged = [...whole].some(([name, text]) => text !== own.get(name));
  return isChanged ? whole : undefined;
};

/**
 * Compares a check's answer with the app's texts: it adds missing ones, and a contradiction fails the check (protocol decisions, section
 * 8).
 * Cards are compared in `AnsweredCards`, which needs the vault.
 */
export const agreementOf = (sent: SentTexts, answer: CheckAnswer): Filled | 'contradiction' => {
  const { customer: own, details, device, mapped } = sent;
  const { currency, email, ipAddresses, billing } = answer;
  const answered = customerIn(answer);
  const addresses = device.get('ipAddresses')?.split(ADDRESS_SEPARATOR);
  const isAgreed =
    (currency === undefined || currency === sent.currency) &&
    isMappedEmail(own, mapped, email) &&
    isSame(own, answered) &&
    isSameStreet(device, billing) &&
    (addresses === undefined || ipAddresses === undefined || isSameSet(addresses, ipAddresses));
  if (!isAgreed) return 'contradiction';
  const customer = filled(own, answered, mapped ?? new Map());
  const [address] = ipAddresses ?? [];
  const filledDetails = address === undefined ? undefined : filled(details, new Map([[IP_ADDRESS, address]]));
  return { ...(customer && { customer }), ...(filledDetails && { details: filledDetails }) };
};
