import { setTimeout } from 'node:timers/promises';
import type { CheckedConfiguration, ConfigurationForecast, ConfigurationStatus, WhatIfJson } from '@app/investigation';
import type { Command } from 'commander';
import { claimOf, OperatorPort } from '../operator-port';
import { ACTOR, ALONE, CommandFailed, EXIT, type Output, type CommandContext, listing, REASON, writeResult } from '../terminal';
import { aloneOf, changeLines, isUnderApproval, type AloneOptions } from './approvals';

export const renderCheck = ({ digest, changes, changeCount, needsRestart, faults }: CheckedConfiguration): readonly string[] => {
  if (digest === undefined) return ['the file has faults:', ...faults.map((fault) => `  ${fault}`)];
  if (changeCount === 0) return [`the file is in force: ${digest}`];
  return [`file ${digest}`, ...changeLines({ changes, changeCount }), ...needsRestart.map((fault) => `  not without a restart: ${fault}`)];
};

const check = async (output: Output): Promise<void> => {
  const checked = await OperatorPort.of().read<CheckedConfiguration>('/configuration/check');
  writeResult(output, checked, () => renderCheck(checked));
  if (checked.faults.length > 0 || checked.needsRestart.length > 0)
    throw new CommandFailed('the file cannot be applied while the service runs', EXIT.refused);
};

interface ApplyOptions extends AloneOptions {
  readonly reason: string;
  readonly digest?: string;
  readonly whatIf?: string;
  readonly actor?: string;
}

const apply = async ({ reason, digest, whatIf, actor, ...options }: ApplyOptions, output: Output): Promise<void> => {
  const action = {
    reason,
    ...(digest !== undefined && { digest }),
    ...(whatIf !== undefined && { whatIf }),
    ...claimOf(actor),
    ...aloneOf(options),
  };
  const applied = await OperatorPort.of().ask<{ readonly isApplied: boolean; readonly digest: string }>('/configuration/apply', action);
  if (isUnderApproval(applied, output)) return;
  writeResult(output, applied, () =>
    applied.isApplied
      ? `applied ${applied.digest}; the other processes follow within seconds (orch configuration status)`
      : `already in force: ${applied.digest}`,
  );
};

const status = (terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const { digest, applied, processes } = await OperatorPort.of().read<ConfigurationStatus>('/configuration/status');
    writeResult(output, { digest, applied }, () => [
      `in force ${digest}`,
      applied === null ? 'none was applied while the service ran' : `applied ${applied.at}: ${applied.digest}`,
    ]);
    for (const one of processes)
      writeResult(
        output,
        one,
        () => `  process ${one.process}  ${one.outcome} ${one.at}  ${one.digest}${one.why === null ? '' : `  ${one.why}`}`,
      );
  });

type Ends = ConfigurationForecast['expected']['ends'];

/** Shares are of the orders with a known end; that of `unknown` is of all. */
interface ForecastRow {
  readonly outcome: Ends[number]['outcome'];
  readonly gate: string | null;
  readonly expected: number;
  readonly expectedShare: number;
  readonly seen: number;
  readonly seenShare: number;
}

export const forecastRows = (expected: Ends, seen: Ends): readonly ForecastRow[] => {
  const keyOf = ({ outcome, gate }: Ends[number]): string => `${outcome} ${gate ?? ''}`;
  const sides = [new Map(expected.map((one) => [keyOf(one), one.would])), new Map(seen.map((one) => [keyOf(one), one.was]))] as const;
  const shareIn = (counts: ReadonlyMap<string, number>, key: string, isUnknown: boolean): number => {
    const all = [...counts].filter(([one]) => isUnknown || !one.startsWith('unknown')).reduce((sum, [, count]) => sum + count, 0);
    return all === 0 ? 0 : (counts.get(key) ?? 0) / all;
  };
  const rows = new Map([...expected, ...seen].map((one) => [keyOf(one), one]));
  return [...rows].map(([key, { outcome, gate }]) => {
    const [expectedShare, seenShare] = [shareIn(sides[0], key, outcome === 'unknown'), shareIn(sides[1], key, outcome === 'unknown')];
    return { outcome, gate, expected: sides[0].get(key) ?? 0, expectedShare, seen: sides[1].get(key) ?? 0, seenShare };
  });
};

const PERCENT = 100;
const GATE_WIDTH = 28;
const percent = (share: number): string => `${(share * PERCENT).toFixed(1)} %`.padStart(7);

export const renderForecast = (
  { digest, appliedAt, replacedAt, whatIfId }: ConfigurationForecast,
  rows: readonly ForecastRow[],
): readonly string[] => [
  `configuration ${digest}, applied ${appliedAt}${replacedAt === null ? '' : `, replaced ${replacedAt}`}`,
  `expected by what-if ${whatIfId} of past orders; seen of the orders accepted ${replacedAt === null ? 'since' : 'until it was replaced'}`,
  ...rows.map(({ outcome, gate, expected, expectedShare, seen, seenShare }) => {
    const name = `${outcome}${gate === null ? '' : ` by ${gate}`}`.padEnd(GATE_WIDTH);
    return `  ${name}  expected ${percent(expectedShare)} (${expected})  seen ${percent(seenShare)} (${seen})`;
  }),
  'shares are of the orders with a known end, the share of unknown of all',
];

const AGAIN_MS = 500;

/** The same reading of the log as a what-if counts what happened. Its rules change nothing that is compared. */
const seenSince = async (port: OperatorPort, { expected, appliedAt, replacedAt }: ConfigurationForecast): Promise<Ends> => {
  const merchants = [...new Set(expected.endpoints.map(({ merchant }) => merchant))].map((login) => ({
    login,
    endpoints: expected.endpoints.filter(({ merchant }) => merchant === login).map(({ endpointId: id }) => ({ id, routing: 'none' })),
  }));
  const period = { from: appliedAt, ...(replacedAt !== null && { before: replacedAt }) };
  let run = await port.ask<WhatIfJson>('/what-ifs', { rules: JSON.stringify({ merchants }), ...period });
  while (run.state === 'running') {
    await setTimeout(AGAIN_MS);
    run = await port.read<WhatIfJson>(`/what-ifs/${run.whatIfId}`);
  }
  if (run.state !== 'done' || run.result === null) throw new CommandFailed(`the orders were not counted: ${run.state}`, EXIT.failed);
  return run.result.ends;
};

const forecast = async (digest: string | undefined, output: Output): Promise<void> => {
  const port = OperatorPort.of();
  const expected = await port.read<ConfigurationForecast>('/configuration/forecast', { digest });
  const rows = forecastRows(expected.expected.ends, await seenSince(port, expected));
  writeResult(output, { ...expected, rows }, () => renderForecast(expected, rows));
};

export const addConfigurationCommands = (program: Command, { output }: CommandContext): void => {
  const configuration = program.command('configuration').description('the configuration of the running service');
  configuration
    .command('check')
    .description('compare the file of the running service with what is in force there; this query is recorded')
    .action(() => check(output()));
  configuration
    .command('apply')
    .description('make every process take its file without a restart, as a whole or not at all')
    .requiredOption(...REASON)
    .option('--digest <digest>', 'the digest that check printed: refuse if the file has changed since')
    .option('--what-if <id>', 'a kept what-if with the changed rules of the file, as the reason')
    .option(...ACTOR)
    .option(...ALONE)
    .action((options: ApplyOptions) => apply(options, output()));
  configuration
    .command('forecast')
    .description('what the what-if of an applied configuration expected, against what happened since; starts a what-if that counts')
    .argument('[digest]', 'of the configuration; default: the newest with a what-if')
    .action((digest: string | undefined) => forecast(digest, output()));
  configuration
    .command('status')
    .description('the configuration in force, the one that was last applied, and what each process did with it')
    .action(() => status(output()));
};
