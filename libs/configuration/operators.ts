/** In ascending order: each role has all rights of those before it. */
export const OPERATOR_ROLES = ['viewer', 'investigator', 'operator', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** A person who may use the operator port. Only that person has the token itself. */
export interface Operator {
  readonly name: string;
  readonly role: OperatorRole;
  /** SHA-256 of the token's text, 32 bytes in lower-case hexadecimal. */
  readonly tokenSha256: string;
}

/** Has fewer digits than a card number, since the name is readable in every event of its owner. */
export const OPERATOR_NAME = /^(?!(?:\D*\d){12})[A-Za-z][A-Za-z0-9._@-]{0,63}$/;
export const OPERATOR_NAME_FORM = '1 to 64 of A-Z, a-z, 0-9, ., _, @ and -, a letter first, with fewer than 12 digits';
