import type { Schemas } from '../port';
import { money } from '../format';
import type { Tone } from '../ui/badge';

type WhatIf = Schemas['WhatIfJson'];
type OrderEnd = Schemas['WhatIfOrderJson']['would'];

export const STATES: Readonly<Record<WhatIf['state'], readonly [tone: Tone, word: string]>> = {
  running: ['info', 'Running'],
  done: ['ok', 'Done'],
  stopped: ['calm', 'Stopped'],
  interrupted: ['warn', 'Interrupted'],
  failed: ['bad', 'Failed'],
};

type Why = keyof Schemas['WhatIfResultJson']['notKnown'];

export const NOT_KNOWN: Readonly<Record<Why, string>> = {
  'gate-never-asked': 'a gate that the order never asked',
  'text-sealed': 'text that is sealed',
  'digits-not-shown': 'digits of the card that are not stored in clear',
  'count-in-doubt': 'an earlier order of the card, whose result is not known',
  'order-open': 'an attempt that is still open',
};

/** The end of an order in words: `Approved 10.00 EUR at sim-a`. */
export const endText = (end: OrderEnd, currency: string): string => {
  switch (end.kind) {
    case 'approved':
      return `Approved ${money(end.amount, currency)}${end.gate === null ? '' : ` at ${end.gate}`}`;
    case 'refused':
      return `${end.status === 'declined' ? 'Declined' : end.status === 'filtered' ? 'Filtered' : 'Error'}, code ${end.code}`;
    case 'open':
      return 'Open';
    case 'cannot-know':
      return `Cannot be known: depends on ${NOT_KNOWN[end.why]}${end.gate === undefined ? '' : `, ${end.gate}`}`;
  }
};

const minorOf = (amount: string): bigint => {
  const [whole = '0', cents = ''] = amount.split('.');
  return BigInt(whole + cents.padEnd(2, '0').slice(0, 2));
};

/** The change of an approved amount, with its sign: `+10.00 EUR`. Amounts are in major units. */
export const changeText = (was: string, would: string, currency: string): string => {
  const change = minorOf(would) - minorOf(was);
  if (change === 0n) return 'no change';
  const digits = (change < 0n ? -change : change).toString().padStart(3, '0');
  return `${change < 0n ? '−' : '+'}${money(`${digits.slice(0, -2)}.${digits.slice(-2)}`, currency)}`;
};

type Row = Schemas['WhatIfResultJson']['rules'][number];

/** The length of each amount of a row, in percent of the largest amount of its currency. Lengths are for drawing only. */
export const lengthsOf = (row: Row, rows: readonly Row[]): Readonly<Record<'notKnown' | 'was' | 'would', number>> => {
  const amounts = rows
    .filter(({ currency }) => currency === row.currency)
    .flatMap(({ wasApproved, wouldBeApproved, notKnownAskedFor }) => [wasApproved, wouldBeApproved, notKnownAskedFor].map(minorOf));
  const top = amounts.reduce((most, one) => (one > most ? one : most), 1n);
  const length = (amount: string): number => Number((minorOf(amount) * 1_000n) / top) / 10;
  return { was: length(row.wasApproved), would: length(row.wouldBeApproved), notKnown: length(row.notKnownAskedFor) };
};

export interface RuleFault {
  /** From 1; undefined if the fault has no place in the text. */
  readonly line: number | undefined;
  readonly text: string;
}

const LINE = /^line (\d+), (?:column (\d+): )?/;

/** The faults of the port's refusal, one by one. */
export const faultsOf = (message: string): readonly RuleFault[] =>
  message.split(/; (?=line \d)/).map((fault) => {
    const [whole = '', line, column] = LINE.exec(fault) ?? [];
    const text = fault.slice(whole.length);
    return { line: line === undefined ? undefined : Number(line), text: column === undefined ? text : `column ${column}: ${text}` };
  });
