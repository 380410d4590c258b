import { differenceAsJson, differenceOf, isLaterMoment, type FieldDifference, type Moment } from '@app/audit';
import { CommandFailed, EXIT } from '../command-failed';
import { withOrders } from '../order/named-orders';
import { oneOrder, type NameOptions } from '../order/one-order';
import { asJson, listing, type Output } from '../terminal/output';
import { changeLine, eventLine, widthOf } from './field-lines';
import { versionOrTime } from './moment-option';
import { momentText } from './moment-text';
import { countedAt, readHistory } from './order-history';

export interface DiffOptions extends NameOptions {
  readonly from: string;
  readonly to: string;
  /** Times are those of the gates' clocks. */
  readonly true?: boolean;
}

/** `orch diff <order>`: what differs between two moments of an order, and by which event; reads beside a running service. @throws CommandFailed */
export const diff = async (name: string, options: DiffOptions, terminal: Output): Promise<void> => {
  const { from, to, true: isTrue } = options;
  const by = isTrue === true ? 'true-at' : 'known-at';
  const [first, last] = [versionOrTime('--from', from, by), versionOrTime('--to', to, by)];
  const backwards = new CommandFailed('--from is later than --to', EXIT.usage);
  if (isLaterMoment(first, last)) throw backwards;
  await listing(terminal, (output) =>
    withOrders(options.merchant, async (verb) => {
      const history = await readHistory(verb.readers.log, await oneOrder(verb, name, options));
      const [earlier, later] = [countedAt(history, first), countedAt(history, last)];
      if (earlier.some((event) => !later.includes(event))) throw backwards;
      write(differenceOf(earlier, later), first, last, output);
    }),
  );
};

const write = (differences: readonly FieldDifference[], from: Moment, to: Moment, output: Output): void => {
  if (output.isJson) {
    for (const difference of differences) output.line(asJson(differenceAsJson(difference)));
    return;
  }
  output.line(`from ${momentText(from)} to ${momentText(to)}: ${differences.length} fields differ`);
  const width = widthOf(differences);
  let shown: FieldDifference['event'] | undefined;
  // Those of one event together, in the order of the events.
  for (const difference of differences.toSorted((a, b) => Number(a.event.logEvent.revision - b.event.logEvent.revision))) {
    if (difference.event !== shown) output.line(eventLine(difference.event, output.paint));
    shown = difference.event;
    output.line(`  ${changeLine(difference, output.paint, width)}`);
  }
};
