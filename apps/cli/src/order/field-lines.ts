import type { EventJson, FieldChange, FieldValue } from '@app/investigation';
import { shownTime } from './instant-text';
import type { Paint } from '../terminal/paint';
import { printable } from '../terminal/printable';

export const valueText = (value: FieldValue): string => (value === null ? '-' : printable(String(value)));

/** An event in one line: which, when, by whom; the gate's time where it is another. */
export const eventLine = ({ type, revision, knownAt, trueAt, actor, claimedActor }: EventJson, paint: Paint): string => {
  const by = claimedActor === undefined ? printable(actor) : `${printable(actor)} for ${printable(claimedActor)}`;
  const atGate = trueAt === knownAt ? '' : `, so since ${shownTime(trueAt)} by the gate’s clock`;
  return `${paint('strong', type)} (revision ${revision}) at ${shownTime(knownAt)} by our clock${atGate}, by ${by}`;
};

export const changeLine = ({ field, before, after }: FieldChange, paint: Paint, width = 0): string =>
  `${field.padEnd(width)}  ${paint('faint', valueText(before))} → ${paint('strong', valueText(after))}`;

export const widthOf = (changes: readonly FieldChange[]): number => Math.max(0, ...changes.map(({ field }) => field.length));
