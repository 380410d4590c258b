import type { TransferFee } from '@app/gateway-protocol';
import { formatAmount } from '@app/kernel';
import { printable } from '../terminal/printable';

const CHEAPEST = 'cheapest';
export const ASK = 'ask';

/** The consumer's choice by option: CHEAPEST, ASK, or the alias of a gate. */
export type FeeOption = string;

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

const askForFee = async (fees: readonly TransferFee[], ask: ((question: string) => Promise<string>) | undefined): Promise<FeeChoice> => {
  if (ask === undefined) return { problem: `nobody is there to choose: --fee ${CHEAPEST} or --fee with an alias does` };
  const list = fees.map((fee, index) => `  ${index + 1}. ${feeText(fee)}\n`).join('');
  for (let round = 0; round < TRIES_MAX; round++) {
    const answer = await ask(`${list}Which one? `);
    const fee = fees.find(({ assignedId }, index) => answer === assignedId || answer === String(index + 1));
    if (fee !== undefined) return { fee };
  }
  return { problem: 'none of the fees was chosen' };
};

/** The fee that the option chooses. `ask` is absent without a terminal. */
export const chosenFee = async (
  fees: readonly TransferFee[],
  option: FeeOption,
  ask: ((question: string) => Promise<string>) | undefined,
): Promise<FeeChoice> => {
  if (option === CHEAPEST) return cheapest(fees);
  if (option === ASK) return askForFee(fees, ask);
  const fee = fees.find(({ assignedId }) => assignedId === option);
  return fee === undefined ? { problem: `${printable(option)} is not among the fees` } : { fee };
};
