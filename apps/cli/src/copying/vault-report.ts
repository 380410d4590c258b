import type { CarriedRows, CarryFault } from '@app/card-vault';
import type { MerchantLogin } from '@app/kernel';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';

export interface CopiedVault {
  readonly outcome: 'equal' | 'differs' | 'stopped';
  readonly merchant: MerchantLogin;
  readonly cards: CarriedRows;
  /** Ids of card numbers that this run wrote. */
  readonly uids: number;
  readonly orderKeys: CarriedRows;
  readonly faults: readonly CarryFault[];
}

const FAULTS_SHOWN_MAX = 20;

const rowsLine = (what: string, { carried, held, destroyed }: CarriedRows): string =>
  `  ${what}: ${carried} carried, ${held} there before${destroyed === 0 ? '' : `; ${destroyed} of them shredded or erased, on both sides`}`;

const WORDS: Readonly<Record<CopiedVault['outcome'], (faults: number) => string>> = {
  equal: () => 'equal: the target’s vault has what the source’s has of the merchant, under its own keys',
  differs: (faults) => `not the same in both vaults: ${faults} ${faults === 1 ? 'row' : 'rows'}, left as they are`,
  stopped: () => 'stopped between two batches: the same command again goes on from there',
};

/** Shows the outcome, for people or for programs. It has ids alone. */
export const showCopiedVault = (copied: CopiedVault, output: Output): void => {
  const { outcome, merchant, cards, uids, orderKeys, faults } = copied;
  if (output.isJson) {
    output.line(asJson({ outcome, merchant, cards, cardIds: { carried: uids }, orderKeys, faults }));
    return;
  }
  output.line(output.paint(outcome === 'equal' ? 'good' : 'bad', WORDS[outcome](faults.length)));
  output.line(rowsLine('cards', cards));
  output.line(`  ids of card numbers: ${uids} carried`);
  output.line(rowsLine('order keys', orderKeys));
  for (const { what, name, text } of faults.slice(0, FAULTS_SHOWN_MAX)) output.line(`  ${what} ${printable(name)}: ${text}`);
  if (faults.length > FAULTS_SHOWN_MAX) output.line(`  and ${faults.length - FAULTS_SHOWN_MAX} more; --json names them`);
};
