import { type Command, Option } from 'commander';
import {
  countOfClass,
  type DecidedAgain,
  decidedAsJson,
  type NotKnown,
  type WouldEnd,
  WHAT_IF_CLASSES,
  type RuleTotals,
  type WhatIfClass,
  type WhatIfEnd,
  WhatIfTotals,
  eventAsJson,
  replayedSteps,
  type ReplayedStep,
  whatIf,
  whatIfAsJson,
} from '@app/investigation';
import { formatAmount, type MerchantLogin } from '@app/kernel';
import { loadWhatIfRules } from '@app/configuration';
import {
  type Paint,
  type Tone,
  printable,
  CommandFailed,
  EXIT,
  listing,
  type Output,
  withProgress,
  writeResult,
  type CommandContext,
} from '../terminal';
import { withLog, withOrders, readEventLog, ownEnvironment, configurationOf } from '../stores';
import { namedOrders, type NameOptions, orderCommand } from '../orders/order-name';
import { changeLine, eventLine, widthOf, readHistory } from '../orders/moments';

const NOT_KNOWN_TEXTS: Readonly<Record<NotKnown, string>> = {
  'gate-never-asked': 'a gate that was never asked',
  'text-sealed': 'what is sealed',
  'digits-not-shown': 'digits of the card that are not shown',
  'count-in-doubt': 'whether an earlier order of the card would have passed',
  'order-open': 'an attempt that is open still',
};

const notKnownText = (why: NotKnown): string => NOT_KNOWN_TEXTS[why];

const endText = (end: WouldEnd): string => {
  switch (end.kind) {
    case 'approved':
      return `approved ${formatAmount(end.amount.minor)} at ${end.gate ?? 'no gate'}`;
    case 'refused':
      return `${end.status} (${end.code})`;
    case 'open':
      return 'open';
    case 'cannot-know':
      return `not known: ${notKnownText(end.why)}${end.gate === undefined ? '' : `, ${end.gate}`}`;
  }
};

const TONES: Readonly<Record<DecidedAgain['class'], Tone>> = {
  same: 'plain',
  'same-outcome': 'faint',
  differs: 'strong',
  'cannot-know': 'waiting',
};

const decidedLine = ({ order, class: found, was, would, by }: DecidedAgain, paint: Paint): string => {
  const { orderId, merchant, clientOrderId, amount } = order;
  const name = `${orderId}  ${merchant}  ${printable(clientOrderId)}  ${formatAmount(amount.minor)} ${amount.currency}`;
  return `${name}  ${endText(was)} → ${paint(TONES[found], endText(would))}  by ${by ?? '-'}`;
};

interface WhatIfRun {
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
  const counts = table(WHAT_IF_CLASSES.map((name) => [name, String(countOfClass(run.totals, run.end, name))]));
  return WHAT_IF_CLASSES.map((name, index) => `${counts[index] ?? ''}  ${CLASS_TEXTS[name]}`);
};

const totalsLines = (run: WhatIfRun, paint: Paint): readonly string[] => {
  const { end, totals, seconds } = run;
  const rules = totals.rules();
  const [head = '', ...rows] = rules.length === 0 ? [] : table([HEADS, ...rules.map(rowOf)]);
  return [
    `${end.orders} orders decided again in ${seconds.toFixed(1)} s, ${Math.round(end.orders / Math.max(seconds, 0.001))} a second`,
    ...classLines(run),
    ...[...totals.notKnown].map(([why, count]) => `  ${count} depend on ${notKnownText(why)}`),
    ...(totals.drawnAnew > 0 ? [`  of ${totals.drawnAnew} a split drew another gate, because no draw was recorded`] : []),
    ...(end.unreadable > 0
      ? [`  ${end.unreadable} cannot be read by this release or lack an event (orch log verify), and are not counted above`]
      : []),
    ...(end.isIncomplete ? ['  more orders were open, or more cards counted, than are followed at one time: counts may be too low'] : []),
    ...(rows.length === 0 ? [] : [paint('faint', head), ...rows]),
  ];
};

const totalsAsData = ({ end, totals, seconds }: WhatIfRun): object => ({
  ...whatIfAsJson(totals, end),
  seconds: Number(seconds.toFixed(3)),
});

interface WhatIfOptions {
  readonly whatIf: string;
  readonly merchant?: string;
  readonly summary?: boolean;
}

/**
 * `orch replay --what-if <rules>`: decides every order again under other rules, and shows the differences. It only reads the log: it opens no socket, calls no gate and writes nothing.
 * @throws ConfigurationFault with every fault of the rules; CommandFailed
 */
const replayWhatIf = async ({ whatIf: path, merchant, summary }: WhatIfOptions, output: Output): Promise<void> => {
  const environment = ownEnvironment();
  const { accounts } = configurationOf(environment);
  if (merchant !== undefined && accounts.merchant(merchant) === undefined)
    throw new CommandFailed(`no merchant ${JSON.stringify(merchant)} in the configuration`, EXIT.notFound);
  const rules = loadWhatIfRules(path, process.env, accounts);
  await withLog(readEventLog(environment.eventStore), async (log) => {
    const totals = new WhatIfTotals();
    const startedAt = performance.now();
    const onDecided = (decided: DecidedAgain): void => {
      totals.add(decided);
      if (decided.class === 'same' || summary === true) return;
      writeResult(output, decidedAsJson(decided), () => decidedLine(decided, output.paint));
    };
    const end = await withProgress(output, (display) =>
      whatIf({
        log,
        rules,
        accounts,
        merchants: merchant === undefined ? undefined : [merchant as MerchantLogin],
        onDecided,
        onProgress: (orders) => display.update(() => `deciding again: ${orders} orders`),
      }),
    );
    const run: WhatIfRun = { end, totals, seconds: (performance.now() - startedAt) / 1_000 };
    writeResult(output, totalsAsData(run), () => totalsLines(run, output.paint));
  });
};

const stepAsData = ({ event, state, changes }: ReplayedStep): object => ({ event: eventAsJson(event), changes, state });

const stepLines = ({ event, state, changes }: ReplayedStep, { paint }: Output): readonly string[] => {
  const width = widthOf(changes);
  return [
    eventLine(eventAsJson(event), paint),
    ...changes.map((change) => `  ${changeLine(change, paint, width)}`),
    `  ${paint('faint', '=')} ${state.amount} ${state.currency}, ${state.status} (${state.stage})`,
  ];
};

const replayOrder = (name: string, options: NameOptions, terminal: Output): Promise<void> =>
  listing(terminal, (output) =>
    withOrders(options.merchant, async (verb) => {
      for (const stream of await namedOrders(verb, name, options, output)) {
        for (const step of replayedSteps(await readHistory(verb.readers.log, stream)))
          writeResult(output, stepAsData(step), () => stepLines(step, output));
      }
    }),
  );

/**
 * `orch replay`: shows an order's state after each event, or decides all orders again under other rules. Writes nothing.
 * @throws CommandFailed unless exactly one of both is given
 */
const replay = async (name: string | undefined, options: Partial<WhatIfOptions> & NameOptions, output: Output): Promise<void> => {
  const { whatIf, summary } = options;
  if (whatIf !== undefined && name === undefined) return replayWhatIf({ ...options, whatIf }, output);
  if (name === undefined || whatIf !== undefined)
    throw new CommandFailed('give either an order or --what-if with a file of rules', EXIT.usage);
  if (summary !== undefined) throw new CommandFailed('--summary cannot be used with an order', EXIT.usage);
  return replayOrder(name, options, output);
};

export const addReplayCommand = (program: Command, { output }: CommandContext): void => {
  orderCommand(program, 'replay', '[order]')
    .description('show the state of an order after each event, or decide all orders again under other rules')
    .addOption(
      new Option('--what-if <rules>', 'decide every order again with the gates, screening and routing of this file').conflicts([
        'orderid',
        'clientOrderid',
      ]),
    )
    .option('--summary', 'with --what-if: only the totals')
    .action((name: string | undefined, options: Parameters<typeof replay>[1]) => replay(name, options, output()));
};
