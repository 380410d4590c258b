import type { TransferFee } from '@app/gateway-protocol';
import { formatAmount } from '@app/kernel';
import { printable } from '../terminal/printable';

export const CHEAPEST = 'cheapest';
export const ASK = 'ask';

/** What the consumer said beforehand: CHEAPEST, ASK, or the alias of a gate. */
export type FeeWish = string;

export type FeeChoice = { readonly fee: TransferFee } | { readonly problem: string };

const TRIES_MAX = 3;

export const feeText = ({ assignedId, commissionCentis, currency }: TransferFee): string =>
  `${printable(assignedId)} for ${formatAmount(BigInt(commissionCentis))} ${currency}`;

const cheapest = (fees: readonly TransferFee[]): FeeChoice => {
  const [first, ...others] = fees;
  if (first === undefined) return { problem: 'no fee was offered' };
  if (others.some(({ currency }) => currency !== first.currency))
    return { problem: 'the fees are in several currencies: --fee with an alias chooses' };
  return { fee: others.reduce((least, fee) => (fee.commissionCentis < least.commissionCentis ? fee : least), first) };
};

const asked = async (fees: readonly TransferFee[], ask: ((question: string) => Promise<string>) | undefined): Promise<FeeChoice> => {
  if (ask === undefined) return { problem: `nobody is there to choose: --fee ${CHEAPEST} or --fee with an alias does` };
  const list = fees.map((fee, index) => `  ${index + 1}. ${feeText(fee)}\n`).join('');
  for (let round = 0; round < TRIES_MAX; round++) {
    const answer = await ask(`${list}Which one? `);
    const fee = fees.find(({ assignedId }, index) => answer === assignedId || answer === String(index + 1));
    if (fee !== undefined) return { fee };
  }
  return { problem: 'none of the fees was chosen' };
};

/** The fee that the wish comes to. `ask` is absent where nobody is there. */
export const chosenFee = async (
  fees: readonly TransferFee[],
  wish: FeeWish,
  ask: ((question: string) => Promise<string>) | undefined,
): Promise<FeeChoice> => {
  if (wish === CHEAPEST) return cheapest(fees);
  if (wish === ASK) return asked(fees, ask);
  const fee = fees.find(({ assignedId }) => assignedId === wish);
  return fee === undefined ? { problem: `${printable(wish)} is not among the fees` } : { fee };
};
