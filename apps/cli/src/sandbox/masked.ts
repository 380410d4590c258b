/** Members of the device API, by their paths. */
const CARD_NUMBER = /[cC]ard\.number$/;
const SECURITY_CODE = /\.securityCode$/;

/** Fields of a card that no screen, log or recording is to hold (safety, section 5.1), though the sandbox's cards are nobody's. */
export const masked = (name: string, value: string): string => {
  if (name === 'credit_card_number' || CARD_NUMBER.test(name))
    return `${value.slice(0, 6)}${'*'.repeat(Math.max(value.length - 10, 0))}${value.slice(-4)}`;
  return name === 'cvv2' || SECURITY_CODE.test(name) ? '*'.repeat(value.length) : value;
};
