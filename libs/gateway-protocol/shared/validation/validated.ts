/** Answered with code 1 (protocol decisions, section 4). */
export interface FieldRefusal {
  /** As it is named on the wire. */
  readonly field: string;
  /** For the merchant's developer; names the field, never repeats a value. */
  readonly message: string;
}

export type Validated<Message> = { readonly ok: Message } | { readonly refused: FieldRefusal };
