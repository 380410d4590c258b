import { eventAsJson, replayedSteps, type ReplayedStep } from '@app/audit';
import { withOrders } from '../order/named-orders';
import { namedOrders, type NameOptions } from '../order/one-order';
import { asJson, listing, type Output } from '../terminal/output';
import { changeLine, eventLine, widthOf } from './field-lines';
import { readHistory } from './order-history';

const stepAsData = ({ event, state, changes }: ReplayedStep): object => ({ event: eventAsJson(event), changes, state });

/** The states that people are shown: what changed, and where the order stands then. */
const stepLines = ({ event, state, changes }: ReplayedStep, { paint }: Output): readonly string[] => {
  const width = widthOf(changes);
  return [
    eventLine(eventAsJson(event), paint),
    ...changes.map((change) => `  ${changeLine(change, paint, width)}`),
    `  ${paint('faint', '=')} ${state.amount} ${state.currency}, ${state.status} (${state.stage})`,
  ];
};

/** `orch replay <order>`: folds an order event by event and shows each state; reads beside a running service, and writes nothing. @throws CommandFailed */
export const replayOrder = (name: string, options: NameOptions, terminal: Output): Promise<void> =>
  listing(terminal, (output) =>
    withOrders(options.merchant, async (verb) => {
      for (const stream of await namedOrders(verb, name, options, output)) {
        for (const step of replayedSteps(await readHistory(verb.readers.log, stream))) {
          if (output.isJson) output.line(asJson(stepAsData(step)));
          else for (const line of stepLines(step, output)) output.line(line);
        }
      }
    }),
  );
