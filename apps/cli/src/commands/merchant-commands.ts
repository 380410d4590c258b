import type { Command } from 'commander';
import { listen, type ListenOptions } from '../verbs/listen';
import { sign, type SignOptions, SIGNED_OPERATIONS } from '../verbs/sign';
import type { CommandContext } from '../terminal';

/** The verbs that play a merchant: its requests and its callback receiver. */
export const addMerchantCommands = (program: Command, { output }: CommandContext): void => {
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
    .description('receive callbacks as a merchant’s server would: check control and webhook-signature by the configuration, and show them')
    .option('--port <number>', 'where; 0 takes any that is free', '8081')
    .option('--host <address>', 'of this machine', '127.0.0.1')
    .action((options: ListenOptions) => listen(options, output()));
};
