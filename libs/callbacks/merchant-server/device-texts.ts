import { alpha2Of, present } from '@app/kernel';
import type { Billing, Holder } from '@app/gateway-protocol';
import type { Customer } from '@app/orders/domain';

/** The holder's name as printed on the card, or joined in that form (interface, section 2.6). */
export const holderName = ({ printedName, firstName = '', lastName = '' }: Holder): string =>
  printedName ?? `${firstName} ${lastName}`.trim();

/** Converts ddMMyyyy to the merchant API's YYYYMMDD (interface, section 2.6; protocol decisions, section 10). */
export const birthdayOf = (birthDay: string): string => birthDay.slice(4) + birthDay.slice(2, 4) + birthDay.slice(0, 2);

/** Billing members under the names of customer texts; the country in two letters. */
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
