import { Option, type Command } from 'commander';
import { OPERATOR_ROLES } from '@app/configuration';
import { newOperator, type NewOperatorOptions } from '../operator/operator-new';
import type { CommandContext } from './command-context';

export const addOperatorCommands = (program: Command, { output }: CommandContext): void => {
  const operators = program.command('operator').description('who may use the operator port of the service');

  operators
    .command('new')
    .description('make a token for an operator, and the line of the configuration that admits its owner')
    .requiredOption('--name <name>', 'recorded in every event that the operator causes')
    .addOption(new Option('--role <role>', 'what the operator may do').choices(OPERATOR_ROLES).makeOptionMandatory())
    .action((options: NewOperatorOptions) => newOperator(options, output()));
};
