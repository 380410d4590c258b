import { differenceAsJson, differenceOf, isLaterMoment, type DifferenceJson, type Moment } from '@app/investigation';
import { CommandFailed, EXIT } from '../command-failed';
import { orderAtPort, portInstead, type PlaceOptions } from '../order/port-orders';
import { withOrders } from '../order/named-orders';
import { oneOrder, type NameOptions } from '../order/one-order';
import { asJson, listing, type Output } from '../terminal/output';
import { changeLine, eventLine, widthOf } from '../order/field-lines';
import { versionOrTime } from '../order/moment-option';
import { momentText } from '../order/moment-text';
import { countedAt, readHistory } from './order-history';

export interface DiffOptions extends NameOptions, PlaceOptions {
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
  // Those of one event together, in the order of the events.
  for (const difference of differences.toSorted((a, b) => a.event.revision - b.event.revision)) {
    if (difference.event.revision !== shown) output.line(eventLine(difference.event, output.paint));
    shown = difference.event.revision;
    output.line(`  ${changeLine(difference, output.paint, width)}`);
  }
};
