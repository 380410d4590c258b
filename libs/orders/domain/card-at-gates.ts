import type { GateAlias } from '@app/kernel';

/** By what a gate can charge a registered card without its number. */
export const CHARGED_BY = ['token', 'network-transaction'] as const;
export type ChargedBy = (typeof CHARGED_BY)[number];

/** A gate's own token of a card; a reference, not a card number. */
export interface GateToken {
  readonly gate: GateAlias;
  readonly token: string;
}

/** What gates know a registered card by: each gate's own token, and the scheme's id of the payment that proved the card, which any gate may take. */
export interface CardAtGates {
  readonly tokens: readonly GateToken[];
  readonly networkTransactionId?: string;
}

export type KnownAtGate =
  { readonly kind: 'token'; readonly token: string } | { readonly kind: 'network-transaction'; readonly networkTransactionId: string };

/** By what this gate charges the card, the first of its means that there is; undefined where it needs the card itself. */
export const knownAtGate = (
  { tokens, networkTransactionId }: CardAtGates,
  gate: GateAlias,
  means: readonly ChargedBy[],
): KnownAtGate | undefined => {
  const token = tokens.find((one) => one.gate === gate)?.token;
  for (const kind of means) {
    if (kind === 'token' && token !== undefined) return { kind, token };
    if (kind === 'network-transaction' && networkTransactionId !== undefined) return { kind, networkTransactionId };
  }
  return undefined;
};

/** As far as an order that may be charged at these gates can use it; undefined where none of them can. */
export const cardAtPlannedGates = (
  { tokens, networkTransactionId }: CardAtGates,
  gates: readonly { readonly alias: GateAlias }[],
): CardAtGates | undefined => {
  const planned = tokens.filter(({ gate }) => gates.some(({ alias }) => alias === gate));
  if (planned.length === 0 && networkTransactionId === undefined) return undefined;
  return { tokens: planned, ...(networkTransactionId !== undefined && { networkTransactionId }) };
};
