import type { CopyReport, Inspection } from '@app/event-store/copy';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';

export interface CopyOutcome {
  readonly report: CopyReport;
  /** False for a verification, which writes nothing. */
  readonly isCopy: boolean;
  readonly isWholeLog: boolean;
  readonly knownCategories: ReadonlySet<string>;
  readonly seconds: number;
}

const FAULTS_SHOWN_MAX = 20;
const VAULT_LINE =
  'Cards and sealed texts are not in a log: a service on the target needs the vault and the key ring of the source (docs/operations.md, section 10). ' +
  'Without them the target can be read: orch show, orch rebuild.';
const PART_LINE =
  'A part of a log is for reading alone: without the serial numbers and unique claims of the whole, no service may write to it.';

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const outcomeLines = ({ report, isCopy, seconds }: CopyOutcome, { paint }: Output): readonly string[] => {
  const { outcome, phase, appended, inspection } = report;
  const written = `${counted(appended, 'event')} written in ${seconds.toFixed(1)} s`;
  switch (outcome) {
    case 'equal': {
      const held = `${counted(inspection.events, 'event')} of ${counted(inspection.streams, 'stream')}`;
      const equal = paint('good', `equal: ${held}, the same on both sides, by every stream’s hash chain`);
      return isCopy ? [written, equal] : [equal];
    }
    case 'refused':
      return [paint('bad', 'the target was left as it is: what it holds is not the beginning of what the source holds')];
    case 'differs':
      return [...(isCopy ? [written] : []), paint('bad', `not the same on both sides: ${counted(report.faults.length, 'stream')}`)];
    case 'stopped':
      if (!isCopy) return ['stopped before all was verified'];
      return phase === 'verify'
        ? [written, 'stopped before all was verified: the same command again, or --verify-only']
        : [written, 'stopped between two appends: the same command again goes on from there'];
  }
};

const categoryLines = ({ categories, leftOut }: Inspection, knownCategories: ReadonlySet<string>, { paint }: Output): readonly string[] => {
  const width = Math.max(0, ...[...categories.keys()].map(({ length }) => length));
  const lines = [...categories].map(([category, { streams, events }]) => {
    const known = knownCategories.has(category) ? '' : paint('waiting', ' (not known to this release; copied as it is)');
    return `  ${category.padEnd(width)}  ${counted(streams, 'stream')}, ${counted(events, 'event')}${known}`;
  });
  if (leftOut.events === 0) return lines;
  const what = `${counted(leftOut.streams, 'stream')} with ${counted(leftOut.events, 'event')}`;
  const names = leftOut.examples.map(printable).join(', ');
  return [...lines, paint('bad', `  LEFT OUT, as not of this service: ${what}; for example ${names}`)];
};

const faultLines = ({ faults }: CopyReport): readonly string[] => [
  ...faults.slice(0, FAULTS_SHOWN_MAX).map(({ stream, text }) => `  ${printable(stream)}: ${text}`),
  ...(faults.length > FAULTS_SHOWN_MAX ? [`  and ${faults.length - FAULTS_SHOWN_MAX} more; --json names them`] : []),
];

const asData = ({ report, knownCategories, seconds }: CopyOutcome): object => {
  const { outcome, phase, appended, inspection, faults, hasSourceGrown } = report;
  return {
    outcome,
    phase,
    appended,
    streams: inspection.streams,
    events: inspection.events,
    held: inspection.held,
    seconds: Number(seconds.toFixed(3)),
    categories: [...inspection.categories].map(([category, count]) => ({ category, isKnown: knownCategories.has(category), ...count })),
    leftOut: inspection.leftOut,
    hasSourceGoneOn: hasSourceGrown,
    faults,
  };
};

/** Shows the outcome, for people or for programs. */
export const showCopy = (outcome: CopyOutcome, output: Output): void => {
  if (output.isJson) {
    output.line(asJson(asData(outcome)));
    return;
  }
  const { report, isCopy, isWholeLog, knownCategories } = outcome;
  const lines = [
    ...outcomeLines(outcome, output),
    ...categoryLines(report.inspection, knownCategories, output),
    ...faultLines(report),
    ...(report.hasSourceGrown ? ['The source was written to meanwhile: run it again for the rest.'] : []),
    ...(isCopy && report.outcome === 'equal' ? [...(isWholeLog ? [] : [PART_LINE]), VAULT_LINE] : []),
  ];
  for (const line of lines) output.line(line);
};
