import type { Command } from 'commander';
import type { AuditFormat, OrderPage } from '@app/investigation';
import { ACTOR, CommandFailed, EXIT, asJson, listing, type Output, printable, writeResult, type CommandContext } from '../terminal';
import { claimOf, OperatorPort } from '../operator-port';
import { FORMAT, LAST_BREAK, leftOutOf } from './audit';

const LIST_OPTIONS = {
  order: 'of this orderid',
  clientOrderId: 'of this client_orderid',
  invoiceId: 'of this invoiceId',
  correlation: 'with events caused by the request with this serial-number',
  cardReference: 'that registered or charged this card reference',
  card: 'of this card (unq-card-ref-id)',
  receipt: 'of this receipt id',
  rrn: 'of this reference number of the gate',
  reference: 'with this transaction, order or case id of the gate, or this attempt key',
  approvalCode: 'approved with this code',
  cardMask: 'of a card with these first six and last four digits, such as 444433-1111',
  lastFour: 'of a card with these last four digits',
  descriptor: 'with this text in the descriptor on the payer’s statement',
  on: 'made or processed on this day, the day before or the day after, such as 2026-11-27',
  zone: 'the time zone of --on, such as Europe/Riga (default: UTC)',
  email: 'of a payer with this e-mail address',
  operator: 'in whose stream this operator caused an event; orch audit <order> also shows other actions',
  merchant: 'of this merchant',
  endpoint: 'of this entry point',
  kind: 'payment, recurring, deviceVerification or transfer',
  operation: 'sale, preauth, account-verification or transfer',
  status: 'approved, declined, error, filtered, processing, unknown or chain_declined',
  stage: 'at this order-stage, such as sale_approved',
  gate: 'whose last gate was this one',
  code: 'that ended with this code',
  currency: 'in this currency',
  amountFrom: 'of this amount or more, in major units, in any currency without --currency',
  amountTo: 'of this amount or less, in major units',
  createdFrom: 'created then or later, such as 2026-11-24T08:30:00Z',
  createdTo: 'created before then',
  updatedFrom: 'last changed then or later',
  updatedTo: 'last changed before then',
} as const;
type Narrowing = Partial<Record<keyof typeof LIST_OPTIONS, string>>;

export interface ListOptions extends Narrowing {
  readonly format?: AuditFormat;
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: true;
  readonly actor?: string;
}

const HEADER_LINE = /^[^\n]*\n/;

type Ask = (cursor: string | undefined, format: AuditFormat) => Promise<{ readonly text: string; readonly headers: Headers }>;

const pagesOf = async function* (
  ask: Ask,
  format: AuditFormat,
  { cursor: first, all }: { readonly cursor: string | undefined; readonly all: true | undefined },
  output: Output,
): AsyncGenerator<string> {
  let cursor = first;
  const told = new Set<string>();
  for (let page = 0; page === 0 || (all === true && cursor !== undefined); page++) {
    const { text, headers } = await ask(cursor, format);
    yield page > 0 && format === 'csv' ? text.replace(HEADER_LINE, '') : text;
    cursor = headers.get('Audit-Next') ?? undefined;
    for (const problem of problemsOf(headers)) {
      if (!told.has(problem)) output.problem(problem);
      told.add(problem);
    }
    if (cursor !== undefined && all !== true) writeNext(cursor, leftOutOf(headers).includes('orders'), output);
  }
};

const forPeople = (order: OrderPage['orders'][number], { paint }: Output): string => {
  const text = (name: keyof typeof order): string => printable(String(order[name] ?? '-'));
  const card = order.bin === null ? '-' : `${text('bin')}…${text('lastFour')}`;
  return `${text('createdAt')}  ${paint('strong', text('orderId'))}  ${text('merchant')}  ${text('clientOrderId')}  ${text('amount')} ${text('currency')}  ${text('status')} (${text('stage')})  ${text('gate')}  ${card}`;
};

const INDEX_TEXTS: Readonly<Record<string, string>> = {
  missing: 'the index of orders was never built, so no order is listed. Start the service, or run orch rebuild',
  behind: 'the index of orders is behind the log: newer orders and changes may be missing',
};

/** Position of the next page: an object after the rows with `--json`, as in `orch find`; separate from the rows otherwise. */
const writeNext = (next: string, isCutShort: boolean, output: Output): void =>
  output.isJson
    ? output.line(asJson({ next, ...(isCutShort && { isCutShort }) }))
    : output.problem(`${isCutShort ? 'the page reached the limit of orders checked' : 'there are more'}: continue with --cursor ${next}`);

/** What a page omits and its source, reported separately from the rows so that all formats have it. */
const problemsOf = (headers: Headers): readonly string[] => {
  const leftOut = leftOutOf(headers);
  const index = headers.get('Audit-Index');
  return [
    ...(leftOut.includes('references')
      ? ['the card has more references than this search covers: orders that used the others may be missing']
      : []),
    ...(index === null ? [] : [INDEX_TEXTS[index] ?? index]),
  ];
};

export const listOrders = async (options: ListOptions, output: Output): Promise<void> => {
  const { format, cursor, all, actor, ...question } = options;
  if (format !== undefined && output.isJson) throw new CommandFailed('--json and --format exclude each other', EXIT.usage);
  const port = OperatorPort.of();
  const ask: Ask = (after, asked) =>
    port.askAudited('/audit/orders', { ...question, ...(after !== undefined && { cursor: after }), ...claimOf(actor), format: asked });
  if (format !== undefined) {
    for await (const text of pagesOf(ask, format, { cursor, all }, output)) if (text !== '') output.line(text.replace(LAST_BREAK, ''));
    return;
  }
  await listing(output, async (shown) => {
    for await (const text of pagesOf(ask, 'json', { cursor, all }, shown))
      for (const order of (JSON.parse(text) as OrderPage).orders) writeResult(shown, order, () => forPeople(order, shown));
  });
};

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const addListCommand = (program: Command, { output }: CommandContext): void => {
  const list = program
    .command('list')
    .description('list orders by identifiers and properties, the newest first; needs a running service, which records the query');
  for (const [name, meaning] of Object.entries(LIST_OPTIONS)) list.option(`--${kebab(name)} <value>`, meaning);
  list
    .addOption(FORMAT())
    .option('--limit <number>', 'orders of a page, at most 500 (default: 100)')
    .option('--cursor <place>', 'continue after an earlier page, which shows this value')
    .option('--all', 'all pages, one after the other')
    .option(...ACTOR)
    .action((options: ListOptions) => listOrders(options, output()));
};
