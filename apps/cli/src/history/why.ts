import { whyAsJson, whyOf, type Cause, type Explained } from '@app/audit';
import { CommandFailed, EXIT } from '../command-failed';
import { withOrders } from '../order/named-orders';
import { oneOrder, type NameOptions } from '../order/one-order';
import { asJson, type Output } from '../terminal/output';
import { printable, shortened } from '../terminal/printable';
import { eventLine, valueText } from './field-lines';
import { momentOf, type MomentOptions } from './moment-option';
import { countedAt, readHistory } from './order-history';

export interface WhyOptions extends MomentOptions, NameOptions {}

const FIELD_SHOWN_MAX = 64;

/** `orch why <order> <field>`: the event that gave a field its value, its cause and its actor; reads beside a running service. @throws CommandFailed */
export const why = async (name: string, field: string, options: WhyOptions, output: Output): Promise<void> => {
  const moment = momentOf(options);
  await withOrders(options.merchant, async (verb) => {
    const history = await readHistory(verb.readers.log, await oneOrder(verb, name, options));
    const found = whyOf(field, countedAt(history, moment), history);
    if (found.kind === 'no-state') throw new CommandFailed('the order has no events', EXIT.notFound);
    if (found.kind === 'no-field')
      throw new CommandFailed(`no field "${shortened(field, FIELD_SHOWN_MAX)}"; there are ${found.known.join(', ')}`, EXIT.usage);
    if (output.isJson) output.line(asJson(whyAsJson(field, found)));
    else for (const line of renderWhy(found, output)) output.line(line);
  });
};

const causeText = (cause: Cause, { paint }: Output): string => {
  switch (cause.kind) {
    case 'event':
      return eventLine(cause.event, paint);
    case 'request':
      return `request ${printable(cause.serial)}`;
    case 'elsewhere':
      return `${printable(cause.id)}, which is not of this order`;
  }
};

const renderWhy = ({ values, before, event, causes }: Explained, output: Output): readonly string[] => [
  ...[...values].map(([field, value]) => {
    const was = before.get(field);
    return `${field} is ${output.paint('strong', valueText(value))}${was === undefined ? '' : `, was ${valueText(was)}`}`;
  }),
  `by ${eventLine(event, output.paint)}`,
  ...causes.map((cause) => `  because of ${causeText(cause, output)}`),
];
