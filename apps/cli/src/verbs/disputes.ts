import { createReadStream } from 'node:fs';
import { Option, type Command } from 'commander';
import type { StreamName } from '@app/event-store';
import { findPage, type OrderSummary } from '@app/read-models/queries';
import { FileText, FileTextFault } from '@app/reconciliation';
import { CHARGEBACK_STAGES, type ReportKind, REPRESENTMENT_OUTCOMES } from '@app/orders/domain';
import { CommandFailed, EXIT, type Output, printable, type CommandContext, writeResult, ACTOR, MERCHANT } from '../terminal';
import { claimOf, OperatorPort } from '../operator-port';
import { withOrders, type OrderVerb } from '../stores';
import { REPORT_TEXTS } from '@app/investigation/words';
import { findOrder, orderView, readOrder } from '../orders/find-order';
import { nameKindOf, oneOrder, severalStreams, type NameOptions, orderCommand } from '../orders/order-name';

export interface TypedReport {
  readonly kind: ReportKind;
  readonly case: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly reasonCode?: string;
  readonly stage?: string;
  readonly outcome?: string;
  readonly date?: string;
  readonly respondBy?: string;
  readonly gate?: string;
}

export type ReportAnswer =
  { readonly order: Pick<OrderSummary, 'orderId' | 'stage' | 'reports'>; readonly isKnown: boolean } | { readonly setAside: string };

/** Gates usually name an order by their own reference. If several merchants' orders match, the file's gate decides. @throws CommandFailed if no order matches, or several do */
const orderNamed = async (verb: OrderVerb, name: string, gate: string | undefined, options: NameOptions): Promise<StreamName> => {
  const { readers, merchants } = verb;
  if (nameKindOf(options) !== undefined) return oneOrder(verb, name, options);
  const text = name.trim();
  const page = await findPage({ log: readers.log, readModel: readers.readModel, merchants }, text);
  const indexed = (page?.found ?? []).map(({ stream }) => stream);
  const found = await findOrder(readers, text, merchants, undefined, indexed);
  const [first, ...others] = found;
  if (first === undefined) return oneOrder(verb, name, options);
  if (others.length === 0) return first;
  const atGate: StreamName[] = [];
  if (gate !== undefined) for (const stream of found) if (await isPlannedAt(verb, stream, gate)) atGate.push(stream);
  const [only, ...rest] = atGate;
  if (only !== undefined && rest.length === 0) return only;
  throw new CommandFailed(await severalStreams(readers.log, text, found), EXIT.usage);
};

const isPlannedAt = async ({ readers }: OrderVerb, stream: StreamName, gate: string): Promise<boolean> => {
  const view = await orderView(readers.log, stream);
  return view?.gates.some(({ alias }) => alias === gate) === true;
};

/** Records a report through the running service. @throws CommandFailed */
export const sendReport = async (
  verb: OrderVerb,
  name: string,
  report: TypedReport,
  { actor, ...options }: NameOptions & { readonly actor?: string | undefined } = {},
): Promise<ReportAnswer> => {
  const { orderId, merchant } = await readOrder(verb.readers.log, await orderNamed(verb, name, report.gate, options));
  return OperatorPort.of(verb.environment).ask(`/orders/${orderId}/reports`, { ...report, ...claimOf(actor), merchant });
};

interface ReportOptions extends Omit<TypedReport, 'kind' | 'outcome' | 'gate'>, NameOptions {
  readonly actor?: string;
}

const recordReport = async (
  name: string,
  kind: TypedReport['kind'],
  { merchant, orderid, clientOrderid, actor, ...typed }: ReportOptions & Pick<TypedReport, 'outcome'>,
  output: Output,
): Promise<void> =>
  withOrders(merchant, async (verb) => {
    const answer = await sendReport(
      verb,
      name,
      { kind, ...typed },
      { actor, ...(orderid && { orderid }), ...(clientOrderid && { clientOrderid }) },
    );
    if ('setAside' in answer) throw new CommandFailed(`set aside for review: ${answer.setAside}`);
    const { order, isKnown } = answer;
    const what = `${REPORT_TEXTS[kind]} ${printable(typed.case)}`;
    writeResult(output, answer, () =>
      isKnown ? `${what} was recorded before: nothing is changed` : `${what} is recorded; order ${order.orderId} is ${order.stage}`,
    );
    const newest = order.reports.at(-1);
    if (!output.isJson && !isKnown && newest?.isAboveTaken === true) output.problem('more money went back than was taken. Ask the gate');
  });

const REPORT_COLUMNS = ['order', 'kind', 'case', 'amount', 'currency', 'reason_code', 'stage', 'outcome', 'date'] as const;
type Column = (typeof REPORT_COLUMNS)[number];

export const REPORT_HEADER = REPORT_COLUMNS.join(',');

const isKind = (text: string): text is TypedReport['kind'] => Object.hasOwn(REPORT_TEXTS, text);

type ReadLine = { readonly order: string; readonly report: TypedReport } | { readonly fault: string };

/** The service validates the values. Quotes are not supported, since no value needs them. */
const readReportLine = (line: string): ReadLine => {
  if (line.includes('"')) return { fault: 'quotes are not supported' };
  const values = line.split(',').map((value) => value.trim());
  if (values.length !== REPORT_COLUMNS.length) return { fault: `${values.length} values instead of ${REPORT_COLUMNS.length}` };
  const of = (column: Column): string => values[REPORT_COLUMNS.indexOf(column)] ?? '';
  const given = (column: Column, member: keyof TypedReport): Partial<TypedReport> => (of(column) === '' ? {} : { [member]: of(column) });
  const kind = of('kind');
  if (!isKind(kind)) return { fault: `kind must be one of ${Object.keys(REPORT_TEXTS).join(', ')}` };
  if (of('order') === '') return { fault: 'order is empty' };
  if (of('case') === '') return { fault: 'case is empty' };
  return {
    order: of('order'),
    report: {
      kind,
      case: of('case'),
      ...given('amount', 'amount'),
      ...given('currency', 'currency'),
      ...given('reason_code', 'reasonCode'),
      ...given('stage', 'stage'),
      ...given('outcome', 'outcome'),
      ...given('date', 'date'),
    },
  };
};

type BoundedLine =
  | { readonly number: number; readonly text: string }
  /** The line is too long; its rest is skipped. */
  | { readonly number: number; readonly text: undefined };

/** Numbers the lines of a streamed text from 1, with one line in memory. The last needs no line break. */
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
/** More than a gate reports in a year. */
const LINES_MAX = 1_000_000;

interface ImportOptions {
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

/** The service, a store or the configuration is at fault: all other lines would fail too. */
const isOfNoLine = (error: unknown): boolean => !(error instanceof CommandFailed) || error.exitCode === EXIT.failed;

/**
 * Sends the lines one after the other, and continues after a line that fails.
 * @throws CommandFailed for a wrong header, too many lines or an unreachable service; lines already sent stay recorded
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
        note(number, `does not fit the order and is set aside for review: ${answer.setAside}`);
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
    throw new CommandFailed('the file has no lines after its header: nothing was imported', EXIT.usage);
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

const importReports = async ({ gate, file, merchant, actor }: ImportOptions, output: Output): Promise<void> =>
  withOrders(merchant, async (verb: OrderVerb) => {
    const counts = await importLines(partsOf(file), gate, (order, report) => sendReport(verb, order, report, { actor }), output);
    const { recorded, known, setAside, failed } = counts;
    writeResult(output, counts, () => `${recorded} recorded, ${known} known before, ${setAside} set aside, ${failed} failed`);
    if (setAside + failed > 0) throw new CommandFailed(`${setAside + failed} lines were not recorded`, EXIT.refused);
  });

const AMOUNT = ['--amount <amount>', 'in major units, such as 10.42'] as const;
const REASON_CODE = ['--reason-code <code>', 'the card scheme’s, such as 10.4'] as const;
const CURRENCY = ['--currency <currency>', 'three letters'] as const;

const reporting = (parent: Command, verb: string): Command =>
  orderCommand(parent, verb, '<order>', 'an orderid, a client_orderid, or a reference of the gate')
    .requiredOption('--case <id>', 'the gate’s id of the case; repeating a report changes nothing')
    .option('--date <day>', 'its day in UTC, such as 2026-11-24')
    .option(...ACTOR)
    .option(...REASON_CODE);

const stage = (): Option => new Option('--stage <stage>', 'stage of the case').choices(CHARGEBACK_STAGES);

export const addDisputeCommands = (program: Command, { output }: CommandContext): void => {
  const chargebacks = program.command('chargeback').description('record chargebacks that came on paper, and their results');

  reporting(chargebacks, 'add')
    .description('record that the issuer took the payer’s money back; refused if it does not fit the order')
    .requiredOption(...AMOUNT)
    .requiredOption(...CURRENCY)
    .option('--respond-by <day>', 'the last day to contest it, in UTC, such as 2026-12-24')
    .addOption(stage())
    .action((name: string, options: ReportOptions) => recordReport(name, 'chargeback', options, output()));

  for (const outcome of REPRESENTMENT_OUTCOMES) {
    const became = outcome === 'won' ? 'was won, which returns its money' : 'was lost';
    reporting(chargebacks, outcome)
      .description(`record that the representment of a chargeback ${became}`)
      .addOption(stage())
      .action((name: string, options: ReportOptions) => recordReport(name, 'representment', { ...options, outcome }, output()));
  }

  const disputes = program.command('dispute').description('record other reports of a gate after the end of an order, or a file of reports');

  reporting(disputes, 'reversal')
    .description('record that the acquirer returned money without a request')
    .requiredOption(...AMOUNT)
    .requiredOption(...CURRENCY)
    .action((name: string, options: ReportOptions) => recordReport(name, 'reversal', options, output()));

  reporting(disputes, 'fraud-warning')
    .description('record that the issuer considers the payment fraud (TC40, SAFE); no money moves')
    .option(...AMOUNT)
    .option(...CURRENCY)
    .action((name: string, options: ReportOptions) => recordReport(name, 'fraud-warning', options, output()));

  disputes
    .command('import')
    .description(`record the reports in a gate’s file, line by line; its first line is ${REPORT_HEADER}`)
    .requiredOption('--gate <alias>', 'the gate that made the file')
    .requiredOption('--file <csv>', 'the file')
    .option(...MERCHANT)
    .option(...ACTOR)
    .action((options: ImportOptions) => importReports(options, output()));
};
