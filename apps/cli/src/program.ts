import { createInterface } from 'node:readline';
import { Command, CommanderError, Option } from 'commander';
import { VaultUnavailable } from '@app/card-vault';
import { BrokenChain, OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { ConfigurationFault, OPERATOR_ROLES } from '@app/configuration';
import { CommandFailed, EXIT } from './command-failed';
import { copyLogTo, type CopyLogOptions } from './copying/copy-log';
import { device, DEVICE_VERBS, type DeviceOptions, type DeviceVerb } from './device/device';
import { keyboardOfProcess } from './device/typed-secrets';
import { deliveries, resendDelivery, type ResendOptions } from './operator/deliveries';
import { find, type FindOptions } from './order/find';
import { listen, type ListenOptions } from './listening/listen';
import { newOperator, type NewOperatorOptions } from './operator/operator-new';
import { rebuild } from './rebuilding/rebuild';
import { tellRelease } from './release';
import { run } from './run';
import { sandbox } from './sandbox';
import { serveOwn } from './sandbox/own-configuration';
import { show } from './order/show';
import { sign, type SignOptions } from './signing/sign';
import { SIGNED_OPERATIONS } from './signing/sign-request';
import { mappedStack } from './terminal/mapped-stack';
import { terminalOutput, type Output, type TerminalStreams } from './terminal/output';
import { trace } from './order/trace';
import { listUnknown, resolveUnknown, type ResolveOptions } from './operator/unknown';

const gathered = (value: string, before: readonly string[]): readonly string[] => [...before, value];

const ACTOR = [
  '--actor <name>',
  'for whom you act; stands in the log beside the operator whose token is used. The user of this terminal where it is left out',
] as const;

const REASON = ['--reason <text>', 'why; kept sealed'] as const;

/** A password in an argument appears in the list of processes; one in the environment does not. */
const place = (flag: string, variable: string, what: string): Option =>
  new Option(`${flag} <url>`, what).env(variable).makeOptionMandatory();

const DEVICE_WORDS: Readonly<Record<DeviceVerb, string>> = {
  verify: 'verify a card, and learn by which reference it can be used again',
  sale: 'pay with a card, or with a reference',
  transfer: 'move money from one card to another, each of them a card or a reference',
};

const CARD_FORMS = 'a card number, a reference, - for a line of standard input or @path for one of a file; asked for on a terminal';

/** @param endedWith called by verbs that have exit codes of their own */
const programOf = (output: () => Output, endedWith: (code: number) => void): Command => {
  const program = new Command('orch')
    .exitOverride()
    .description(
      'The command line of the payment orchestrator. Its environment is the service’s: ORCH_CONFIG, DATA_DIR, PORT and the rest.',
    )
    .option('--json', 'results as JSON, one object a line')
    .option('--version', 'which release this is')
    .on('option:version', () => {
      tellRelease(output());
      // As with help, no verb follows.
      throw new CommanderError(0, 'orch.version', '');
    });

  program
    .command('run')
    .description('start the service in the foreground; its log is JSON on standard output')
    .action(async () => {
      endedWith(await run());
    });

  program
    .command('show')
    .description('the timeline of one order: its events, its card references, its callbacks; works beside a running service')
    .argument('<order>', 'orderid, or client_orderid')
    .option('--merchant <login>', 'look among the orders of this merchant only')
    .action((name: string, options: { merchant?: string }) => show(name, options, output()));

  program
    .command('find')
    .description(
      'the orders that an identifier names: orderid, client_orderid, card reference, unique card id, serial number, receipt, delivery, or a reference of the gate',
    )
    .argument('<identifier>')
    .option('--merchant <login>', 'look among the orders of this merchant only')
    .option('--limit <number>', 'orders of a page, where a card or a reference to it names many: 100 where it is left out, at most 1000')
    .option('--after <place>', 'go on behind an earlier page, which tells this')
    .action((text: string, options: FindOptions) => find(text, options, output()));

  const callbacks = program
    .command('deliveries')
    .description('the callbacks of one order: every try, what came of it, and when the next is due; works beside a running service')
    .argument('<order>', 'orderid, or client_orderid')
    .option('--merchant <login>', 'look among the orders of this merchant only')
    .action((name: string, options: { merchant?: string }) => deliveries(name, options, output()));

  callbacks
    .command('resend')
    .description('have a callback sent once more by the running service, also one that was delivered or given up')
    .argument('<delivery>', 'as orch deliveries names it')
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((deliveryId: string, options: ResendOptions) => resendDelivery(deliveryId, options, output()));

  const unknown = program.command('unknown').description('orders whose outcome no gate has told');

  unknown
    .command('list')
    .description('all of them, the oldest first; works beside a running service')
    .option('--merchant <login>', 'those of this merchant only')
    .action((options: { merchant?: string }) => listUnknown(options, output()));

  unknown
    .command('resolve')
    .alias('settle')
    .description('say how one ended, after the gate’s own records were looked at; done by the running service, and for good')
    .argument('<order>', 'orderid, or client_orderid')
    .addOption(new Option('--as <outcome>', 'how it ended').choices(['approved', 'declined']).makeOptionMandatory())
    .requiredOption(...REASON)
    .option(...ACTOR)
    .option('--merchant <login>', 'whose order it is')
    .option('--follow-up <number>', 'its follow-up of this number, as orch show counts them, instead of the order itself')
    .action((name: string, options: ResolveOptions) => resolveUnknown(name, options, output()));

  program
    .command('rebuild')
    .description('build the read models anew from the event log; the service must be stopped')
    .option('--only <projection>', 'this projection alone; may be given several times', gathered, [])
    .option('--stream <stream>', 'have a running service take up one parked stream again instead')
    .action((options: { only: readonly string[]; stream?: string }) => rebuild(options, output()));

  const operators = program.command('operator').description('who may use the operator port of the service');

  operators
    .command('new')
    .description('make a token for an operator, and the line of the configuration that lets its owner in')
    .requiredOption('--name <name>', 'stands in every event that the operator causes')
    .addOption(new Option('--role <role>', 'what the operator may do').choices(OPERATOR_ROLES).makeOptionMandatory())
    .action((options: NewOperatorOptions) => newOperator(options, output()));

  program
    .command('copy-log')
    .description(
      'copy an event log into another store, or go on with it, and verify every stream; nothing else may write to the target meanwhile',
    )
    .addOption(place('--from', 'COPY_LOG_FROM', 'the log to read: a path, file:, esdb:// or esdb+discover://'))
    .addOption(place('--to', 'COPY_LOG_TO', 'the log to write, the same; a file is made where there is none'))
    .option('--verify-only', 'compare both and write nothing')
    .option('--stream <name>', 'this stream alone; may be given several times', gathered, [])
    .option('--order <order>', 'the streams of one order alone, by orderid or client_orderid: itself, its callbacks, its card references')
    .option('--merchant <login>', 'whose order it is')
    .action(async (options: CopyLogOptions) => {
      endedWith(await copyLogTo(options, output()));
    });

  program
    .command('sign')
    .description('the checksum of a request, by the control key in the configuration; with --key the Authorization header of a v4 request')
    .argument('<operation>', SIGNED_OPERATIONS.join(', '))
    .argument('[fields...]', 'the fields of the request, each as key=value')
    .option('--endpoint <id>', 'entry point of the path')
    .option('--group <id>', 'entry point group of the path')
    .option('--key <file>', 'the merchant’s private key in PEM: signs version 4 of create-card-ref and status by OAuth')
    .option('--curl', 'print the whole request as a line for a shell')
    .action((operation: string, fields: readonly string[], options: SignOptions) => sign(operation, fields, options, output()));

  program
    .command('listen')
    .description('hear callbacks as a merchant’s server would: check control and webhook-signature by the configuration, and show them')
    .option('--port <number>', 'where; 0 takes any that is free', '8081')
    .option('--host <address>', 'of this machine', '127.0.0.1')
    .action((options: ListenOptions) => listen(options, output()));

  program
    .command('trace')
    .description(
      'lines of a server’s log on standard input, with the places of the sources in their traces; beside the build that wrote them',
    )
    .action(() => trace(createInterface({ input: process.stdin }), output()));

  const devices = program
    .command('device')
    .description('play a consumer’s device: ask the merchant server for an invoice, send the order to the gateway, follow it to its end');

  for (const verb of Object.keys(DEVICE_VERBS) as DeviceVerb[]) {
    const command = devices
      .command(verb)
      .description(DEVICE_WORDS[verb])
      .option('--gateway <url>', 'address of the gateway', 'http://127.0.0.1:8080')
      .option('--prefix <path>', 'what stands before /dapi/v1/ there', '/paynet')
      .option('--merchant <url>', 'address of the merchant server', 'http://127.0.0.1:8081')
      .option('--product <login>', 'which of its products')
      .addOption(new Option('--access-token <token>', 'one that you have; asked for by e-mail otherwise').env('DEVICE_ACCESS_TOKEN'))
      .requiredOption('--serial <number>', 'serial number of the device')
      .option('--imei <number>', 'its IMEI')
      .requiredOption('--email <address>', 'of the consumer')
      .option('--birthday <ddMMyyyy>', 'of the consumer')
      .option('--card <card>', `${CARD_FORMS}. The number of a test card may stand here`)
      .option('--expiry <month/year>', 'of a card number, as 12/2035')
      .option('--holder <name>', 'of a card number, as printed on the card')
      .option('--cvv <code>', 'its security code, in the same forms')
      .requiredOption('--currency <code>', 'ISO 4217')
      .option('--description <text>', 'what it is for');
    if (verb !== 'verify') command.requiredOption('--amount <amount>', 'in major units, as 10.42');
    if (verb === 'transfer') {
      command
        .option('--to <card>', `the card that receives: ${CARD_FORMS}`)
        .option('--fee <choice>', 'among the fees offered: cheapest, ask, or the alias of one', 'ask');
    }
    command.action(async (options: DeviceOptions) => {
      endedWith(await device(verb, options, output(), { keyboard: keyboardOfProcess() }));
    });
  }

  program
    .command('sandbox')
    .description('start the service on test gates, play a tour as a merchant, and stay up for more')
    .option('--once', 'stop after the tour; the exit code says whether all came out as told')
    .option('--config <file>', 'serve this configuration instead, without a tour')
    .action(async ({ once, config }: { once?: true; config?: string }) => {
      const isOnce = once === true;
      endedWith(await (config === undefined ? sandbox({ isOnce }, output()) : serveOwn(config, { isOnce }, output())));
    });

  return program;
};

/** A failure that the user or the environment caused: it is shown in one line, without a stack. */
const isTheirs = (error: unknown): boolean =>
  error instanceof CommandFailed ||
  error instanceof ConfigurationFault ||
  error instanceof StoreUnavailable ||
  error instanceof OutcomeUnknown ||
  error instanceof BrokenChain ||
  error instanceof VaultUnavailable ||
  (error instanceof Error && 'syscall' in error);

const showFailure = (error: unknown, output: Output): number => {
  const text = error instanceof Error ? error.message : String(error);
  if (isTheirs(error)) output.problem(text);
  // A fault of the program itself needs its stack to be found.
  else output.problem(`orch: ${text}${error instanceof Error && !output.isJson ? `\n${mappedStack(error)}` : ''}`);
  return error instanceof CommandFailed ? error.exitCode : EXIT.failed;
};

/** Runs one command line, given as the arguments of `orch`. @returns the exit code */
export const runOrch = async (words: readonly string[], streams: TerminalStreams = process): Promise<number> => {
  let code = 0;
  // The option is searched for directly, since a faulty line cannot be parsed.
  const isJson = (): boolean => program.opts<{ json?: true }>().json === true || words.includes('--json');
  const output = (): Output => terminalOutput(isJson(), streams);
  const program = programOf(output, (ended) => {
    code = ended;
  });
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      // A line without a verb shows the help.
      writeErr: (text) => (isJson() ? output().problem(text.trim()) : void streams.stderr.write(text)),
      outputError: (text) => output().problem(text.trim()),
    });
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    // The parser has shown the fault of the line already; requested help is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    return showFailure(error, output());
  }
};

const withSubcommands = (command: Command): readonly Command[] => [command, ...command.commands.flatMap((below) => withSubcommands(below))];
