import { Option, type Command } from 'commander';
import { newOperatorToken, OPERATOR_NAME, OPERATOR_NAME_FORM, sha256OfToken, OPERATOR_ROLES } from '@app/configuration';
import { CommandFailed, EXIT, type Output, type CommandContext, writeResult } from '../terminal';

interface NewOperatorOptions {
  readonly name: string;
  readonly role: string;
}

const newOperator = ({ name, role }: NewOperatorOptions, output: Output): void => {
  if (!OPERATOR_NAME.test(name)) throw new CommandFailed(`--name must be ${OPERATOR_NAME_FORM}`, EXIT.usage);
  const token = newOperatorToken();
  const operator = { name, role, tokenSha256: sha256OfToken(token) };
  writeResult(output, { token, operator }, () => [
    output.paint('faint', 'The token, for its owner alone; it is not kept here and not shown again:'),
    token,
    output.paint('faint', 'The line for `operators` in the configuration of the service, which is read at its start:'),
    `- { name: ${name}, role: ${role}, tokenSha256: '${operator.tokenSha256}' }`,
  ]);
};

export const addOperatorCommands = (program: Command, { output }: CommandContext): void => {
  const operators = program.command('operator').description('who may use the operator port of the service');

  operators
    .command('new')
    .description('make a token for an operator, and the line of the configuration that admits its owner')
    .requiredOption('--name <name>', 'recorded in every event that the operator causes')
    .addOption(new Option('--role <role>', 'what the operator may do').choices(OPERATOR_ROLES).makeOptionMandatory())
    .action((options: NewOperatorOptions) => newOperator(options, output()));
};
