import { caseOf, type Made } from '../domain/case-of-finding';
import type { CaseOpened, GateWord } from '../domain/case.events';
import type { Finding } from '../domain/findings';

/** A case as it is asked for over JSON: amounts are minor units as text. */
export type CaseRequestBody = Omit<CaseOpened['data'], 'openedAt' | 'gate' | 'source' | 'fileDigest' | 'told'> & {
  readonly told?: Omit<GateWord, 'amount' | 'commissionMinor'> & {
    readonly amountMinor?: string;
    readonly currency?: string;
    readonly commissionMinor?: string;
  };
};

/** The case that a finding asks for; an answer to an inquiry has no line of a file. */
export const caseRequestOf = (finding: Exclude<Finding, { readonly kind: 'matched' }>, made: Made): CaseRequestBody => {
  const { gate: _gate, source, fileDigest: _digest, told, ...found } = caseOf(finding, made);
  if (told === undefined) return found;
  const { amount, commissionMinor, line, ...word } = told;
  return {
    ...found,
    told: {
      ...word,
      ...(line !== undefined && source === 'file' && { line }),
      ...(amount !== undefined && { amountMinor: amount.minor.toString(), currency: amount.currency }),
      ...(commissionMinor !== undefined && { commissionMinor: commissionMinor.toString() }),
    },
  };
};
