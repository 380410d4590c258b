import { WHAT_IF_CLASSES, type RuleTotals, type WhatIfClass, type WhatIfEnd, type WhatIfTotals } from '@app/investigation';
import { formatAmount } from '@app/kernel';
import type { Paint } from '../terminal/paint';
import { notKnownText } from './render-decided';

export interface WhatIfRun {
  readonly end: WhatIfEnd;
  readonly totals: WhatIfTotals;
  readonly seconds: number;
}

const CLASS_TEXTS: Readonly<Record<WhatIfClass, string>> = {
  same: 'decided as they were',
  'same-outcome': 'by another rule or gate, with the same end and amount',
  differs: 'with another end or amount',
  'cannot-know': 'of which the end is not known',
};

/** The entry points that keep their rules are among those that are decided as they were. */
const countOf = ({ totals, end }: WhatIfRun, name: WhatIfClass): number => totals.classes[name] + (name === 'same' ? end.notConcerned : 0);

const table = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(
    (row) => `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`,
  );
};

const HEADS = ['rule', 'currency', 'orders', 'was approved', 'would be', 'not known', 'of them approved', 'asked for'];

const rowOf = (row: RuleTotals): readonly string[] => [
  row.by,
  row.currency,
  String(row.orders),
  formatAmount(row.wasMinor),
  formatAmount(row.wouldMinor),
  String(row.notKnown),
  formatAmount(row.notKnownWasMinor),
  formatAmount(row.notKnownAskedMinor),
];

const classLines = (run: WhatIfRun): readonly string[] => {
  const counts = table(WHAT_IF_CLASSES.map((name) => [name, String(countOf(run, name))]));
  return WHAT_IF_CLASSES.map((name, index) => `${counts[index] ?? ''}  ${CLASS_TEXTS[name]}`);
};

export const totalsLines = (run: WhatIfRun, paint: Paint): readonly string[] => {
  const { end, totals, seconds } = run;
  const rules = totals.rules();
  const [head = '', ...rows] = rules.length === 0 ? [] : table([HEADS, ...rules.map(rowOf)]);
  return [
    `${end.orders} orders decided again in ${seconds.toFixed(1)} s, ${Math.round(end.orders / Math.max(seconds, 0.001))} a second`,
    ...classLines(run),
    ...[...totals.notKnown].map(([why, count]) => `  ${count} depend on ${notKnownText(why)}`),
    ...(totals.drawnAnew > 0 ? [`  of ${totals.drawnAnew} a gate of a split was drawn anew, by a number that they never had`] : []),
    ...(end.unreadable > 0
      ? [`  ${end.unreadable} cannot be read by this release or lack an event (orch log verify), and are not counted above`]
      : []),
    ...(end.isIncomplete ? ['  more orders were open, or more cards counted, than are followed at one time: counts may be too low'] : []),
    ...(rows.length === 0 ? [] : [paint('faint', head), ...rows]),
  ];
};

export const totalsAsData = (run: WhatIfRun): object => {
  const { end, totals, seconds } = run;
  return {
    orders: end.orders,
    seconds: Number(seconds.toFixed(3)),
    classes: Object.fromEntries(WHAT_IF_CLASSES.map((name) => [name, countOf(run, name)])),
    notKnown: Object.fromEntries(totals.notKnown),
    drawnAnew: totals.drawnAnew,
    unreadable: end.unreadable,
    isIncomplete: end.isIncomplete,
    rules: totals.rules().map((row) => ({
      by: row.by,
      currency: row.currency,
      orders: row.orders,
      wasApproved: formatAmount(row.wasMinor),
      wouldBeApproved: formatAmount(row.wouldMinor),
      notKnown: row.notKnown,
      notKnownWasApproved: formatAmount(row.notKnownWasMinor),
      notKnownAskedFor: formatAmount(row.notKnownAskedMinor),
    })),
  };
};
