import { createReadStream } from 'node:fs';
import { FileText, FileTextFault } from '@app/reconciliation';
import { CommandFailed, EXIT } from '../command-failed';
import { withOrders, type OrderVerb } from '../order/named-orders';
import { asJson, type Output } from '../terminal/output';
import { sendReport, type ReportAnswer, type TypedReport } from './record-report';
import { readReportLine, REPORT_HEADER } from './report-lines';

type BoundedLine =
  | { readonly number: number; readonly text: string }
  /** Longer than a line may be; its rest is passed over. */
  | { readonly number: number; readonly text: undefined };

/** The lines of a text that comes in parts, numbered from 1, in memory for one line; the last needs no line break. */
export async function* boundedLines(parts: AsyncIterable<string>, lengthMax: number): AsyncGenerator<BoundedLine> {
  let number = 1;
  let text = '';
  let isTooLong = false;
  const take = (part: string): void => {
    isTooLong ||= text.length + part.length > lengthMax;
    text = isTooLong ? '' : text + part;
  };
  const line = (): BoundedLine => ({ number, text: isTooLong ? undefined : text.replace(/\r$/, '') });
  let isStart = true;
  for await (const part of parts) {
    let from = isStart && part.startsWith('\ufeff') ? 1 : 0;
    isStart = false;
    for (let at = part.indexOf('\n', from); at >= 0; at = part.indexOf('\n', from)) {
      take(part.slice(from, at));
      yield line();
      number += 1;
      text = '';
      isTooLong = false;
      from = at + 1;
    }
    take(part.slice(from));
  }
  if (text !== '' || isTooLong) yield line();
}

const LINE_LENGTH_MAX = 1_024;
/** More than a gate reports of all its orders in a year. */
const LINES_MAX = 1_000_000;

export interface ImportOptions {
  readonly gate: string;
  readonly file: string;
  readonly merchant?: string;
  readonly actor?: string;
}

interface Counts {
  recorded: number;
  known: number;
  setAside: number;
  failed: number;
}

type Send = (order: string, report: TypedReport) => Promise<ReportAnswer>;

/** The service, a store or the configuration is at fault and not the line: the rest would fail alike. */
const isOfNoLine = (error: unknown): boolean => !(error instanceof CommandFailed) || error.exitCode === EXIT.failed;

/**
 * Sends each line of the file to the service, one after the other, and goes on after a line that fails.
 * @throws CommandFailed where the file has another header or very many lines, and where the service is away: what was sent until then stays
 */
export const importLines = async (parts: AsyncIterable<string>, gate: string, send: Send, output: Output): Promise<Counts> => {
  const counts: Counts = { recorded: 0, known: 0, setAside: 0, failed: 0 };
  const note = (line: number, error: string): void => output.problem(`line ${line}: ${error}`);
  let isHeaderRead = false;
  for await (const { number, text } of boundedLines(parts, LINE_LENGTH_MAX)) {
    if (!isHeaderRead) {
      if (text?.trim() === '') continue;
      if (text?.trim() !== REPORT_HEADER) throw new CommandFailed(`the first line must be ${REPORT_HEADER}`, EXIT.usage);
      isHeaderRead = true;
      continue;
    }
    if (number > LINES_MAX) throw new CommandFailed(`line ${number}: a file has at most ${LINES_MAX} lines`, EXIT.usage);
    if (text !== undefined && /^[\s,]*$/.test(text)) continue;
    const read = text === undefined ? { fault: `longer than ${LINE_LENGTH_MAX} characters` } : readReportLine(text);
    if ('fault' in read) {
      counts.failed += 1;
      note(number, read.fault);
      continue;
    }
    try {
      const answer = await send(read.order, { ...read.report, gate });
      if ('setAside' in answer) {
        counts.setAside += 1;
        note(number, `does not fit the order, and is set aside: ${answer.setAside}`);
      } else if (answer.isKnown) counts.known += 1;
      else counts.recorded += 1;
    } catch (error) {
      if (isOfNoLine(error)) throw new CommandFailed(`line ${number}: ${(error as Error).message}; the lines before it are done`);
      counts.failed += 1;
      note(number, (error as Error).message);
    }
  }
  if (!isHeaderRead) throw new CommandFailed(`the file is empty; its first line must be ${REPORT_HEADER}`, EXIT.usage);
  if (Object.values(counts).every((count) => count === 0))
    throw new CommandFailed('the file has no lines behind its header: nothing was imported', EXIT.usage);
  return counts;
};

/** @throws CommandFailed for a file that cannot be read, or is not UTF-8 */
export const partsOf = async function* (file: string): AsyncGenerator<string> {
  const text = new FileText();
  try {
    for await (const bytes of createReadStream(file)) yield text.push(bytes as Buffer);
    yield text.end();
  } catch (error) {
    if (error instanceof FileTextFault) throw new CommandFailed(`${file}: ${error.message}`, EXIT.usage);
    throw new CommandFailed(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`, EXIT.usage);
  }
};

/** `orch dispute import`: what a gate's file reports; the same file again changes nothing. @throws CommandFailed where a line was not taken */
export const importReports = async ({ gate, file, merchant, actor }: ImportOptions, output: Output): Promise<void> =>
  withOrders(merchant, async (verb: OrderVerb) => {
    const counts = await importLines(partsOf(file), gate, (order, report) => sendReport(verb, order, report, { actor }), output);
    const { recorded, known, setAside, failed } = counts;
    if (output.isJson) output.line(asJson(counts));
    else output.line(`${recorded} recorded, ${known} known before, ${setAside} set aside, ${failed} failed`);
    if (setAside + failed > 0) throw new CommandFailed(`${setAside + failed} lines were not taken as they stand`, EXIT.refused);
  });
