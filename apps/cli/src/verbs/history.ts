import type { Command } from 'commander';
import {
  differenceAsJson,
  differenceOf,
  isLaterMoment,
  type DifferenceJson,
  type Moment,
  whyAsJson,
  whyOf,
  type CauseJson,
  type WhyJson,
} from '@app/investigation';
import {
  CommandFailed,
  EXIT,
  asJson,
  listing,
  type Output,
  printable,
  shortened,
  writeResult,
  type CommandContext,
  OFFLINE,
} from '../terminal';
import { orderAtPort, portInstead, type PlaceOptions, oneOrder, type NameOptions, orderCommand } from '../orders/order-name';
import { withOrders, type OrderVerb } from '../stores';
import {
  changeLine,
  eventLine,
  widthOf,
  versionOrTime,
  momentText,
  countedAt,
  readHistory,
  valueText,
  momentOf,
  momentQuestion,
  type MomentOptions,
  addMomentOptions,
} from '../orders/moments';
import type { OperatorPort } from '../operator-port';

interface DiffOptions extends NameOptions, PlaceOptions {
  readonly from: string;
  readonly to: string;
  readonly true?: boolean;
}

const diff = async (name: string, options: DiffOptions, terminal: Output): Promise<void> => {
  const { from, to, true: isTrue } = options;
  const by = isTrue === true ? 'true-at' : 'known-at';
  const [first, last] = [versionOrTime('--from', from, by), versionOrTime('--to', to, by)];
  const backwards = new CommandFailed('--from must not be later than --to', EXIT.usage);
  if (isLaterMoment(first, last)) throw backwards;
  await listing(terminal, async (output) => {
    const port = portInstead(options);
    if (port !== undefined) {
      const { orderId } = await orderAtPort(port, name, options);
      const question = { from, to, ...(isTrue === true && { true: 'true' }) };
      const answer = await port.read<{ readonly differences: readonly DifferenceJson[] }>(`/audit/orders/${orderId}/diff`, question);
      write(answer.differences, first, last, output);
      return;
    }
    await withOrders(options.merchant, async (verb) => {
      const history = await readHistory(verb.readers.log, await oneOrder(verb, name, options));
      const [earlier, later] = [countedAt(history, first), countedAt(history, last)];
      if (earlier.some((event) => !later.includes(event))) throw backwards;
      write(differenceOf(earlier, later).map(differenceAsJson), first, last, output);
    });
  });
};

const write = (differences: readonly DifferenceJson[], from: Moment, to: Moment, output: Output): void => {
  if (output.isJson) {
    for (const difference of differences) output.line(asJson(difference));
    return;
  }
  output.line(`from ${momentText(from)} to ${momentText(to)}: ${differences.length} fields differ`);
  const width = widthOf(differences);
  let shown: number | undefined;
  for (const difference of differences.toSorted((a, b) => a.event.revision - b.event.revision)) {
    if (difference.event.revision !== shown) output.line(eventLine(difference.event, output.paint));
    shown = difference.event.revision;
    output.line(`  ${changeLine(difference, output.paint, width)}`);
  }
};

interface WhyOptions extends MomentOptions, NameOptions, PlaceOptions {}

const FIELD_SHOWN_MAX = 64;

const why = async (name: string, field: string, options: WhyOptions, output: Output): Promise<void> => {
  const moment = momentOf(options);
  const port = portInstead(options);
  const found =
    port === undefined
      ? await withOrders(options.merchant, (verb) => whyInStores(verb, { name, field, moment }, options))
      : await whyAtPort(port, name, field, options);
  writeResult(output, found, () => renderWhy(found, output));
};

const whyInStores = async (
  verb: OrderVerb,
  { name, field, moment }: { readonly name: string; readonly field: string; readonly moment: Moment | undefined },
  options: WhyOptions,
): Promise<WhyJson> => {
  const history = await readHistory(verb.readers.log, await oneOrder(verb, name, options));
  const found = whyOf(field, countedAt(history, moment), history);
  if (found.kind === 'no-state') throw new CommandFailed('the order has no events', EXIT.notFound);
  if (found.kind === 'no-field')
    throw new CommandFailed(`no field "${shortened(field, FIELD_SHOWN_MAX)}"; there are ${found.known.join(', ')}`, EXIT.usage);
  return whyAsJson(field, found);
};

const whyAtPort = async (port: OperatorPort, name: string, field: string, options: WhyOptions): Promise<WhyJson> => {
  const { orderId } = await orderAtPort(port, name, options);
  return port.read(`/audit/orders/${orderId}/why`, { field, ...momentQuestion(options) });
};

const causeText = (cause: CauseJson, { paint }: Output): string => {
  switch (cause.kind) {
    case 'event':
      return eventLine(cause, paint);
    case 'request':
      return `request ${printable(cause.serial)}`;
    case 'elsewhere':
      return `${printable(cause.id)}, which is not an event of this order`;
  }
};

const renderWhy = ({ values, before, event, causes }: WhyJson, output: Output): readonly string[] => [
  ...Object.entries(values).map(([field, value]) => {
    const was = before[field];
    return `${field} is ${output.paint('strong', valueText(value))}${was === undefined ? '' : `, was ${valueText(was)}`}`;
  }),
  `by ${eventLine(event, output.paint)}`,
  ...causes.map((cause) => `  because of ${causeText(cause, output)}`),
];

export const addHistoryCommands = (program: Command, { output }: CommandContext): void => {
  orderCommand(program, 'diff')
    .description('compare two moments of an order: each changed field with the event that changed it')
    .requiredOption('--from <moment>', 'the number of an event, counted from 0, or a time with Z or an offset')
    .requiredOption('--to <moment>', 'the same, not earlier than --from')
    .option('--true', 'compare times by the gates’ clocks, instead of the times of recording')
    .option(...OFFLINE)
    .action((name: string, options: DiffOptions) => diff(name, options, output()));

  addMomentOptions(orderCommand(program, 'why'))
    .description('explain the value of a field: the event that set it, its actor and its causes back to the request')
    .argument('<field>', 'a field of orch replay --json, such as status, amount, card.bin or followUps[0].status')
    .option(...OFFLINE)
    .action((name: string, field: string, options: WhyOptions) => why(name, field, options, output()));
};
