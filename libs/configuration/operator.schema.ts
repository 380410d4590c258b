import { OPERATOR_NAME, OPERATOR_NAME_FORM, OPERATOR_ROLES } from './operators';
import { mapping, oneOf, shaped } from './reading/scalars';

const SHA_256 = /^[0-9a-fA-F]{64}$/;

export const operatorSchema = mapping({
  name: shaped(OPERATOR_NAME_FORM, (text) => OPERATOR_NAME.test(text)),
  role: oneOf(OPERATOR_ROLES),
  tokenSha256: shaped('the SHA-256 of a token in 64 hexadecimal digits', (text) => SHA_256.test(text)).transform((text) =>
    text.toLowerCase(),
  ),
});
