import { eventAsJson, replayedSteps, type ReplayedStep, whatIf, WhatIfTotals, type DecidedAgain } from '@app/investigation';
import { loadConfiguration, loadWhatIfRules, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { MerchantLogin } from '@app/kernel';
import { CommandFailed, EXIT } from '../command-failed';
import { withOrders } from '../order/named-orders';
import { namedOrders, type NameOptions } from '../order/one-order';
import { asJson, listing, type Output } from '../terminal/output';
import { changeLine, eventLine, widthOf } from '../order/field-lines';
import { readHistory } from './order-history';
import { readEventLog } from '../service/event-log';
import { ProgressDisplay, progressOnStderr } from '../terminal/progress-display';
import { decidedAsData, decidedLine } from './render-decided';
import { totalsAsData, totalsLines, type WhatIfRun } from './render-totals';

interface WhatIfOptions {
  /** The file of rules. */
  readonly whatIf: string;
  readonly merchant?: string;
  /** Without the orders themselves. */
  readonly summary?: boolean;
}

/**
 * `orch replay --what-if <rules>`: decides every order again under other rules, and shows which would come out otherwise. Reads the log beside a running
 * service; it opens no socket of its own, asks no gate and writes nothing.
 * @throws ConfigurationFault with every fault of the rules; CommandFailed
 */
const replayWhatIf = async ({ whatIf: path, merchant, summary }: WhatIfOptions, output: Output): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  const { accounts } = loadConfiguration(environment.configurationPath, process.env, GATE_ADAPTERS);
  if (merchant !== undefined && accounts.merchant(merchant) === undefined)
    throw new CommandFailed(`there is no merchant ${JSON.stringify(merchant)}`, EXIT.notFound);
  const rules = loadWhatIfRules(path, process.env, accounts);
  const log = await readEventLog(environment.eventStore);
  const totals = new WhatIfTotals();
  const progress = progressOnStderr();
  const display = output.isJson ? undefined : new ProgressDisplay(progress);
  const startedMs = progress.nowMs();
  const onDecided = (decided: DecidedAgain): void => {
    totals.add(decided);
    if (decided.class === 'same' || summary === true) return;
    output.line(output.isJson ? asJson(decidedAsData(decided)) : decidedLine(decided, output.paint));
  };
  try {
    const end = await whatIf({
      log,
      rules,
      accounts,
      merchant: merchant as MerchantLogin | undefined,
      onDecided,
      onProgress: (orders) => display?.update(progress.nowMs(), () => `deciding again: ${orders} orders`),
    }).finally(() => display?.end());
    const run: WhatIfRun = { end, totals, seconds: (progress.nowMs() - startedMs) / 1_000 };
    if (output.isJson) output.line(asJson(totalsAsData(run)));
    else for (const line of totalsLines(run, output.paint)) output.line(line);
  } finally {
    await log.close();
  }
};

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
