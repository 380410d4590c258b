import { whyAsJson, whyOf, type CauseJson, type Moment, type WhyJson } from '@app/investigation';
import { CommandFailed, EXIT } from '../command-failed';
import { orderAtPort, portInstead, type OperatorPort, type PlaceOptions } from '../order/port-orders';
import { withOrders, type OrderVerb } from '../order/named-orders';
import { oneOrder, type NameOptions } from '../order/one-order';
import { asJson, type Output } from '../terminal/output';
import { printable, shortened } from '../terminal/printable';
import { eventLine, valueText } from '../order/field-lines';
import { momentOf, momentQuestion, type MomentOptions } from '../order/moment-option';
import { countedAt, readHistory } from './order-history';

export interface WhyOptions extends MomentOptions, NameOptions, PlaceOptions {}

const FIELD_SHOWN_MAX = 64;

/** `orch why <order> <field>`: the event that gave a field its value, its cause and its actor; reads beside a running service. @throws CommandFailed */
export const why = async (name: string, field: string, options: WhyOptions, output: Output): Promise<void> => {
  const moment = momentOf(options);
  const port = portInstead(options);
  const found =
    port === undefined
      ? await withOrders(options.merchant, (verb) => whyInStores(verb, { name, field, moment }, options))
      : await whyAtPort(port, name, field, options);
  if (output.isJson) output.line(asJson(found));
  else for (const line of renderWhy(found, output)) output.line(line);
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
      return `${printable(cause.id)}, which is not of this order`;
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
