import { CardErased, type CardVault } from '@app/card-vault';
import type { CardAtGate, TransferAnswer, Gate, RebillRequest, CallLimit, VerifyRequest } from '@app/gateway-adapters/contract';
import type { Card, Secret } from '@app/kernel';
import { knownAtGate, type Operation, type OrderUnderWay } from '../../domain';
import { capabilityFor, type Sum } from '../gate-capability';

/** What one attempt charges: the card itself, what the gate knows a registered card by, or nothing: the card was shredded, or the gate takes none. */
export type Funds =
  | { readonly kind: 'card'; readonly card: Secret<Card> }
  | { readonly kind: 'at-gate'; readonly by: CardAtGate }
  | { readonly kind: 'none' };

/** What every request has, whatever it charges. */
export type FundlessRequest = Omit<VerifyRequest, 'card'>;

export const unlessErased = <Opened>(opening: Promise<Opened>): Promise<Opened | undefined> =>
  opening.catch((error: unknown) => {
    if (error instanceof CardErased) return undefined;
    throw error;
  });

/** The operations for which a gate may do without the card. */
const isRebilled = (operation: Operation): operation is RebillRequest['transactionType'] => operation === 'sale' || operation === 'preauth';

/** Undefined where the gate needs the card. */
const cardAtGate = (
  { atGates, plan: { operation } }: Pick<OrderUnderWay, 'atGates' | 'plan'>,
  { profile, rebilling }: Gate,
): CardAtGate | undefined =>
  atGates === undefined || rebilling === undefined || !isRebilled(operation)
    ? undefined
    : knownAtGate(atGates, profile.alias, rebilling.means);

/**
 * Opens the card only for a gate that cannot do without it.
 * @throws VaultUnavailable
 */
export const fundsFor = async (
  order: Pick<OrderUnderWay, 'atGates' | 'plan' | 'merchant' | 'card' | 'orderId'>,
  gate: Gate,
  vault: Pick<CardVault, 'open'>,
): Promise<Funds> => {
  const by = cardAtGate(order, gate);
  if (by !== undefined) return { kind: 'at-gate', by };
  if (order.card === undefined) throw new Error(`${order.orderId}: no card to be charged`);
  // A gate that takes no cards refuses the attempt, so that the vault has nothing to say to it.
  if (capabilityFor(gate, order.plan.operation) === undefined) return { kind: 'none' };
  const card = await unlessErased(vault.open(order.merchant, order.card.handle));
  return card === undefined ? { kind: 'none' } : { kind: 'card', card };
};

/** The gate's capability for this operation with these funds; undefined where it has none. */
export const askWith = (
  gate: Gate,
  operation: Operation,
  funds: Funds,
): ((request: FundlessRequest, sum: Sum, limit: CallLimit) => Promise<TransferAnswer>) | undefined => {
  if (funds.kind === 'none') return undefined;
  if (funds.kind === 'card') {
    const ask = capabilityFor(gate, operation);
    return ask && ((request, sum, limit) => ask({ ...request, card: funds.card }, sum, limit));
  }
  const { rebilling } = gate;
  if (rebilling === undefined || !isRebilled(operation)) return undefined;
  return ({ payerReturnUrl: _noPayer, ...request }, { amount, recurrent }, limit) =>
    rebilling.rebill({ ...request, transactionType: operation, by: funds.by, amount, ...(recurrent && { recurrent }) }, limit);
};
