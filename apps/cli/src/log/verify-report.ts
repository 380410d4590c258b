import { findingText, type LogFinding, type PlaceCount, type VerifyLogReport } from '@app/investigation';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';

export interface VerifyOutcome {
  readonly report: VerifyLogReport;
  readonly isKeyGiven: boolean;
  readonly seconds: number;
}

const FINDINGS_SHOWN_MAX = 20;

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Last, since whoever reads no more than the end must read this. */
export const NO_KEY_LINE =
  'NO KEY was given: no signature was checked, so that whoever changes the log can have made the checkpoints too (--key, LOG_VERIFY_KEY)';

/** Findings about the places of checkpoints and the files of the tree: the log itself may be as it was written, which is not shown. */
const NOT_OF_LOG: ReadonlySet<LogFinding['kind']> = new Set(['none-verified', 'not-signed', 'place-behind', 'other-log', 'tree-damaged']);

const headline = ({ report, isKeyGiven }: VerifyOutcome, { paint }: Output): string => {
  const { findings, checkpoints, isComplete, events, treeSize } = report;
  if (!isComplete) return 'stopped before all was verified';
  if (findings.length > 0) {
    const isOfTree = findings.every(({ kind }) => kind === 'tree-damaged');
    const isOfLog = findings.some(({ kind }) => !NOT_OF_LOG.has(kind));
    const what = isOfTree ? 'its tree is NOT' : isOfLog ? 'NOT' : 'NOT shown to be';
    return paint('bad', `${what} as it was written: ${counted(findings.length, 'finding')}`);
  }
  if (checkpoints.verified === 0 && treeSize === 0 && events > 0)
    return paint('waiting', 'nothing to compare with: there is no tree and no checkpoint');
  const unchecked = isKeyGiven || checkpoints.verified === 0 ? '' : ', whose signatures were not checked';
  return paint('good', `sound: the log fits its tree and ${counted(checkpoints.verified, 'checkpoint')}${unchecked}`);
};

const coverLine = ({ report, isKeyGiven }: VerifyOutcome, { paint }: Output): string => {
  const { checkpoints, events } = report;
  const { newest, verified, largest } = checkpoints;
  if (newest === undefined && verified > 0)
    return paint(
      'bad',
      `The log fits none of the ${counted(verified, 'checkpoint')} that were found; the largest is of ${counted(largest, 'event')}.`,
    );
  if (newest === undefined) {
    const isTreeKept = report.treeSize > 0 && !report.findings.some(({ kind }) => !NOT_OF_LOG.has(kind));
    const shown = isTreeKept
      ? 'what is shown is that the log fits its tree, which whoever changes the log can change too'
      : 'nothing is shown';
    return paint('waiting', `No checkpoint of this log was found: ${shown}.`);
  }
  const made = newest.madeAt === undefined ? '' : `, made ${newest.madeAt}`;
  const signature = isKeyGiven ? 'signed' : 'its signature was not checked';
  const parts: string[] = [];
  if (largest > newest.size) parts.push(`there are larger ones, up to ${counted(largest, 'event')}, that the log does not fit`);
  const behind = events - Math.max(newest.size, largest);
  if (behind > 0) parts.push(`the newest ${counted(behind, 'event')} ${behind === 1 ? 'is' : 'are'} under none yet`);
  const rest = parts.length === 0 ? 'none is newer' : parts.join('; ');
  return `Newest checkpoint that fits: ${counted(newest.size, 'event')}${made} (${signature}); ${rest}.`;
};

const placeLine = ({ place, checkpoints, ofOtherLogs }: PlaceCount, { paint }: Output): string => {
  const others = ofOtherLogs === 0 ? '' : `, and ${counted(ofOtherLogs, 'checkpoint')} of other names`;
  const line = `${checkpoints === 0 ? 'No checkpoint' : counted(checkpoints, 'checkpoint')} at ${printable(place)}${others}`;
  return checkpoints === 0 ? paint('waiting', line) : line;
};

const asData = ({ report, isKeyGiven, seconds }: VerifyOutcome): object => ({
  isSound: report.isComplete && report.findings.length === 0,
  isSigned: isKeyGiven && report.checkpoints.newest !== undefined,
  ...report,
  findings: report.findings.map((finding) => ({ ...finding, text: findingText(finding) })),
  seconds: Number(seconds.toFixed(3)),
});

/** Shows what a verification found, for people or for programs. */
export const showVerification = (outcome: VerifyOutcome, output: Output): void => {
  if (output.isJson) {
    output.line(asJson(asData(outcome)));
    return;
  }
  const { report, seconds } = outcome;
  const { findings, checkpoints, unreachable, isComplete } = report;
  const { paint } = output;
  const rate = Math.round(report.read / Math.max(seconds, 0.001));
  output.line(
    `${counted(report.read, 'event')} read in ${seconds.toFixed(1)} s (${rate} events/s); ${counted(report.events, 'event')} in the log, ${report.treeSize} in its tree`,
  );
  if (report.leftOut > 0) output.line(`${counted(report.leftOut, 'event')} of other services left out`);
  output.line(headline(outcome, output));
  for (const finding of findings.slice(0, FINDINGS_SHOWN_MAX)) output.line(`  ${printable(findingText(finding))}`);
  if (findings.length > FINDINGS_SHOWN_MAX) output.line(`  and ${findings.length - FINDINGS_SHOWN_MAX} more; --json names them`);
  if (isComplete) {
    output.line(coverLine(outcome, output));
    for (const place of checkpoints.places)
      if (!unreachable.some((one) => one.place === place.place)) output.line(placeLine(place, output));
  }
  for (const { place, problem } of unreachable) output.line(paint('waiting', `not read: ${printable(place)}: ${printable(problem)}`));
  if (!outcome.isKeyGiven) output.line(paint('waiting', NO_KEY_LINE));
};
