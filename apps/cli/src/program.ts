import { Command, CommanderError, Option } from 'commander';
import { spawn } from 'node:child_process';
import { VaultUnavailable } from '@app/card-vault';
import { BrokenChain, OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { ConfigurationFault, packageVersion } from '@app/configuration';
import { CommandFailed, EXIT, type CommandContext, terminalOutput, type Output, type TerminalStreams, asJson } from './terminal';
import { addDisputeCommands } from './verbs/disputes';
import { addKeyCommands } from './verbs/keys';
import { addErasureCommands } from './verbs/erasure';
import { addDeviceCommands } from './device/device';
import { addLogProofCommands } from './log/proof';
import { addOperatorCommands } from './verbs/operator';
import { addReconciliationCommands } from './reconciliation/cases';
import { addConfigurationCommands } from './verbs/configuration';
import { addRoutingCommands } from './verbs/routing';
import { sandbox } from './sandbox/sandbox';
import { demoSandbox } from './sandbox/demo/demo-sandbox';
import { serveOwn } from './sandbox/own-configuration';
import { twoTierSandbox } from './sandbox/two-tier';
import { exitCodeOf, builtProgram } from './sandbox/programs';
import { addShowCommand } from './verbs/show';
import { addFindCommand } from './verbs/find';
import { addDeliveryCommands } from './verbs/deliveries';
import { addUnknownCommands } from './verbs/unknown';
import { addReplayCommand } from './verbs/replay';
import { addListCommand } from './verbs/list';
import { addSettlementFileCommand } from './reconciliation/settlement-file';
import { addRebuildCommands } from './verbs/rebuild';
import { addSignCommand } from './verbs/sign';
import { addListenCommand } from './verbs/listen';
import { addApprovalCommands } from './verbs/approvals';
import { addFollowUpCommands } from './verbs/follow-ups';
import { addHistoryCommands } from './verbs/history';
import { addActivityCommand } from './verbs/activity';
import { addAuditCommands } from './verbs/audit';
import { addEvidenceCommand } from './verbs/evidence';
import { addCopyLogCommand } from './log/copy-log';

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

const run = (): Promise<number> => {
  const child = spawn(process.execPath, [builtProgram('orchestrator')], { stdio: 'inherit' });
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => void child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
};

const showRelease = (output: Output): void => {
  const release = packageVersion();
  output.line(output.isJson ? asJson({ release }) : release);
};

const VERBS: readonly ((program: Command, context: CommandContext) => void)[] = [
  addShowCommand,
  addFindCommand,
  addDeliveryCommands,
  addUnknownCommands,
  addFollowUpCommands,
  addApprovalCommands,
  addHistoryCommands,
  addReplayCommand,
  addListCommand,
  addAuditCommands,
  addActivityCommand,
  addEvidenceCommand,
  addDisputeCommands,
  addRoutingCommands,
  addConfigurationCommands,
  addReconciliationCommands,
  addSettlementFileCommand,
  addErasureCommands,
  addKeyCommands,
  addRebuildCommands,
  addOperatorCommands,
  addCopyLogCommand,
  addLogProofCommands,
  addSignCommand,
  addListenCommand,
  addDeviceCommands,
];

interface SandboxOptions {
  readonly once?: true;
  readonly config?: string;
  readonly upstream?: true;
  readonly demo?: true;
  readonly orders?: string;
  readonly seed?: string;
}

const programOf = (context: CommandContext): Command => {
  const { output, endedWith } = context;
  const program = new Command('orch')
    .exitOverride()
    .description(
      'The command line of the payment orchestrator. It reads the same environment variables as the service: ORCH_CONFIG, DATA_DIR, PORT and the others.',
    )
    .option('--json', 'print results as JSON, one object per line')
    .option('--version', 'show the release')
    .on('option:version', () => {
      showRelease(output());
      // As with help, no verb follows.
      throw new CommanderError(0, 'orch.version', '');
    });

  program
    .command('run')
    .description('start the service in the foreground; its log is JSON on standard output')
    .action(async () => {
      endedWith(await run());
    });

  for (const add of VERBS) add(program, context);

  program
    .command('sandbox')
    .description('start the service on test gates, play a tour as a merchant, and keep running')
    .option('--once', 'stop after the tour; exit code 0 if every check passed')
    .option('--config <file>', 'serve this configuration instead, without a tour')
    .addOption(
      new Option('--upstream', 'start a second instance as the upstream gateway of the first, with a tour through both').conflicts(
        'config',
      ),
    )
    .addOption(
      new Option('--demo', 'fill a new DATA_DIR with a month of orders and serve it; a filled one is served as it is').conflicts([
        'config',
        'upstream',
      ]),
    )
    .addOption(new Option('--orders <number>', 'with --demo: how many orders (default: 3000)'))
    .addOption(new Option('--seed <number>', 'with --demo: another seed gives another month (default: 1)'))
    .action(async ({ once, config, upstream, demo, orders, seed }: SandboxOptions) => {
      const isOnce = once === true;
      if (demo === true) return endedWith(await demoSandbox({ orders, seed, isOnce }, output()));
      if (orders !== undefined || seed !== undefined) throw new CommandFailed('--orders and --seed need --demo', EXIT.usage);
      const tour = upstream === true ? twoTierSandbox : sandbox;
      endedWith(await (config === undefined ? tour({ isOnce }, output()) : serveOwn(config, { isOnce }, output())));
    });

  return program;
};

/** A failure caused by the user or the environment is shown in one line, without a stack. */
const isExpected = (error: unknown): boolean =>
  error instanceof CommandFailed ||
  error instanceof ConfigurationFault ||
  error instanceof StoreUnavailable ||
  error instanceof OutcomeUnknown ||
  error instanceof BrokenChain ||
  error instanceof VaultUnavailable ||
  (error instanceof Error && 'syscall' in error);

const showFailure = (error: unknown, output: Output): number => {
  const text = error instanceof Error ? error.message : String(error);
  if (isExpected(error)) output.problem(text);
  // Unexpected errors are bugs: print the stack.
  else output.problem(`orch: ${text}${error instanceof Error && !output.isJson ? `\n${error.stack ?? ''}` : ''}`);
  return error instanceof CommandFailed ? error.exitCode : EXIT.failed;
};

/** Runs one command line, given as the arguments of `orch`. @returns the exit code */
export const runOrch = async (words: readonly string[], streams: TerminalStreams = process): Promise<number> => {
  let code = 0;
  // Searched directly, since an invalid command line cannot be parsed.
  const isJson = (): boolean => program.opts<{ json?: true }>().json === true || words.includes('--json');
  const output = (): Output => terminalOutput(isJson(), streams);
  const endedWith = (ended: number): void => {
    code = ended;
  };
  const program = programOf({ output, endedWith });
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => (isJson() ? output().problem(text.trim()) : void streams.stderr.write(text)),
      outputError: (text) => output().problem(text.trim()),
    });
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    // The parser has already printed the error; requested help is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    return showFailure(error, output());
  }
};

const withSubcommands = (command: Command): readonly Command[] => [command, ...command.commands.flatMap((below) => withSubcommands(below))];
