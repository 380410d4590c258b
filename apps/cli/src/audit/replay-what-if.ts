import { whatIf, WhatIfTotals, type DecidedAgain } from '@app/investigation';
import { loadConfiguration, loadWhatIfRules, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { MerchantLogin } from '@app/kernel';
import { CommandFailed, EXIT } from '../command-failed';
import { readEventLog } from '../service/event-log';
import { asJson, type Output } from '../terminal/output';
import { ProgressDisplay, progressOnStderr } from '../terminal/progress-display';
import { decidedAsData, decidedLine } from './render-decided';
import { totalsAsData, totalsLines, type WhatIfRun } from './render-totals';

export interface WhatIfOptions {
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
export const replayWhatIf = async ({ whatIf: path, merchant, summary }: WhatIfOptions, output: Output): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  const { accounts } = loadConfiguration(environment.configurationPath, process.env, GATE_ADAPTERS);
  if (merchant !== undefined && accounts.merchant(merchant) === undefined)
    throw new CommandFailed(`there is no merchant ${JSON.stringify(merchant)}`, EXIT.notFound);
  const rules = loadWhatIfRules(path, process.env, accounts);
  const log = await readEventLog(environment.eventStore, 'whole');
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
