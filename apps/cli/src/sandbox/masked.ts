/** Secret members of the device API, by their paths. */
const CARD_NUMBER = /[cC]ard\.number$/;
const SECURITY_CODE = /\.securityCode$/;

/** Card fields that must not appear on a screen, in a log or in a recording (safety, section 5.1); the sandbox keeps the rule with its test cards. */
export const masked = (name: string, value: string): string => {
  if (name === 'credit_card_number' || CARD_NUMBER.test(name))
    return `${value.slice(0, 6)}${'*'.repeat(Math.max(value.length - 10, 0))}${value.slice(-4)}`;
  return name === 'cvv2' || SECURITY_CODE.test(name) ? '*'.repeat(value.length) : value;
};
