import { findingText, type VerifyLogReport } from '@app/audit';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';

export interface VerifyOutcome {
  readonly report: VerifyLogReport;
  readonly isKeyGiven: boolean;
  /** Witnesses at HTTP addresses, which cannot be read here. */
  readonly unreadWitnesses: number;
  readonly seconds: number;
}

const FINDINGS_SHOWN_MAX = 20;

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const coverLine = ({ report, isKeyGiven }: VerifyOutcome, { paint }: Output): string => {
  const { checkpoints, events } = report;
  const { newest } = checkpoints;
  if (newest === undefined)
    return paint(
      'waiting',
      'No checkpoint was found: what is shown is that the log fits its tree, which whoever changes the log can change too.',
    );
  const made = newest.madeAt === undefined ? '' : `, made ${newest.madeAt}`;
  const signature = isKeyGiven ? 'signed' : 'its signature was not checked: no --key';
  const behind = events - newest.size;
  const rest = behind === 0 ? 'none is newer' : `the newest ${counted(behind, 'event')} ${behind === 1 ? 'is' : 'are'} under none yet`;
  return `Newest checkpoint that fits: ${counted(newest.size, 'event')}${made} (${signature}); ${rest}.`;
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
  const { report, seconds, unreadWitnesses } = outcome;
  const { findings, checkpoints, unreachable, isComplete } = report;
  const { paint } = output;
  const rate = Math.round(report.read / Math.max(seconds, 0.001));
  output.line(
    `${counted(report.read, 'event')} read in ${seconds.toFixed(1)} s (${rate} events/s); ${counted(report.events, 'event')} in the log, ${report.treeSize} in its tree`,
  );
  if (report.leftOut > 0) output.line(`${counted(report.leftOut, 'event')} of other services left out`);
  if (!isComplete) output.line('stopped before all was verified');
  else if (findings.length === 0)
    output.line(paint('good', `sound: the log fits its tree and ${counted(checkpoints.verified, 'checkpoint')}`));
  else output.line(paint('bad', `NOT as it was written: ${counted(findings.length, 'finding')}`));
  for (const finding of findings.slice(0, FINDINGS_SHOWN_MAX)) output.line(`  ${printable(findingText(finding))}`);
  if (findings.length > FINDINGS_SHOWN_MAX) output.line(`  and ${findings.length - FINDINGS_SHOWN_MAX} more; --json names them`);
  if (isComplete) output.line(coverLine(outcome, output));
  for (const { origin, size, signed, isSameOrder } of report.ancestors) {
    const lost =
      signed !== undefined && signed > size ? paint('waiting', `; ${signed} were signed under that name: the rest is not in this log`) : '';
    output.line(`It goes on from ${origin}, with ${counted(size, 'event')}${isSameOrder ? '' : ' in another order'}${lost}`);
  }
  if (checkpoints.ignored > 0)
    output.line(paint('waiting', `${counted(checkpoints.ignored, 'note')} passed over: not signed by the key, or no checkpoint`));
  for (const { place, problem } of unreachable) output.line(paint('waiting', `not read: ${printable(place)}: ${printable(problem)}`));
  if (unreadWitnesses > 0)
    output.line(`${counted(unreadWitnesses, 'witness')} at HTTP addresses cannot be read from here: ask who keeps it, and compare`);
};
