/** From the least to the most: each role may do all that those before it may. */
export const OPERATOR_ROLES = ['viewer', 'investigator', 'operator', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Somebody who may use the operator port. The token itself is nowhere but with its owner. */
export interface Operator {
  readonly name: string;
  readonly role: OperatorRole;
  /** SHA-256 of the token's text, 32 bytes in lower-case hexadecimal. */
  readonly tokenSha256: string;
}

/** Fewer digits than a card number has: the name stands readable in every event that its owner causes. */
export const OPERATOR_NAME = /^(?!(?:\D*\d){12})[A-Za-z][A-Za-z0-9._@-]{0,63}$/;
export const OPERATOR_NAME_FORM = '1 to 64 of A-Z, a-z, 0-9, ., _, @ and -, a letter first, with fewer than 12 digits';
