import { eventAsJson, replayedSteps, type ReplayedStep } from '@app/investigation';
import { CommandFailed, EXIT } from '../command-failed';
import { withOrders } from '../order/named-orders';
import { namedOrders, type NameOptions } from '../order/one-order';
import { asJson, listing, type Output } from '../terminal/output';
import { replayWhatIf, type WhatIfOptions } from './replay-what-if';
import { changeLine, eventLine, widthOf } from '../order/field-lines';
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

const replayOrder = (name: string, options: NameOptions, terminal: Output): Promise<void> =>
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

/**
 * `orch replay`: folds an order event by event and shows each state, or decides all orders again under other rules; reads beside a running service, and
 * writes nothing.
 * @throws CommandFailed where not just one of both is named
 */
export const replay = async (name: string | undefined, options: Partial<WhatIfOptions> & NameOptions, output: Output): Promise<void> => {
  const { whatIf, summary } = options;
  if (whatIf !== undefined && name === undefined) return replayWhatIf({ ...options, whatIf }, output);
  if (name === undefined || whatIf !== undefined)
    throw new CommandFailed('name an order, or --what-if with a file of rules; one of them', EXIT.usage);
  if (summary !== undefined) throw new CommandFailed('--summary does not go with an order', EXIT.usage);
  return replayOrder(name, options, output);
};
