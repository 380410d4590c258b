import { alpha2Of } from '@app/kernel';
import type { Billing, Holder } from '@app/gateway-protocol';
import type { Customer } from '@app/order-processing/domain';

/** Joins the device's addresses in one sealed text. */
export const ADDRESS_SEPARATOR = ' ';

/** As printed on the card, or put together as it would be (interface, section 2.6). */
export const holderName = ({ printedName, firstName = '', lastName = '' }: Holder): string =>
  printedName ?? `${firstName} ${lastName}`.trim();

/** ddMMyyyy as the merchant API has it: YYYYMMDD (interface, section 2.6; protocol decisions, section 10). */
export const birthdayOf = (birthDay: string): string => birthDay.slice(4) + birthDay.slice(2, 4) + birthDay.slice(0, 2);

/** What billing says, in the words of a customer; a country in two letters. */
export const billingTexts = ({ address, phone }: Billing): Partial<Customer> => {
  const { city, country, postcodeZip, state, street } = address ?? {};
  const alpha2 = country === undefined ? undefined : alpha2Of(country);
  return {
    ...(phone !== undefined && { phone }),
    ...(alpha2 !== undefined && { country: alpha2 }),
    ...(state !== undefined && { state }),
    ...(city !== undefined && { city }),
    ...(postcodeZip !== undefined && { zipCode: postcodeZip }),
    ...(street !== undefined && { address1: street }),
  };
};
