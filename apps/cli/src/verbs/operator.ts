import { Option, type Command } from 'commander';
import { LOGIN, newOperatorToken, OPERATOR_NAME, OPERATOR_NAME_FORM, sha256OfToken, OPERATOR_ROLES } from '@app/configuration';
import { claimOf, OperatorPort } from '../operator-port';
import { ACTOR, CommandFailed, EXIT, REASON, type Output, type CommandContext, writeResult } from '../terminal';

interface NewOperatorOptions {
  readonly name: string;
  readonly role: string;
  readonly merchant?: readonly string[];
}

const newOperator = ({ name, role, merchant: merchants }: NewOperatorOptions, output: Output): void => {
  if (!OPERATOR_NAME.test(name)) throw new CommandFailed(`--name must be ${OPERATOR_NAME_FORM}`, EXIT.usage);
  if (merchants?.every((login) => LOGIN.test(login)) === false) throw new CommandFailed('--merchant must be a login', EXIT.usage);
  const token = newOperatorToken();
  const operator = { name, role, tokenSha256: sha256OfToken(token), ...(merchants && { merchants }) };
  const limit = merchants === undefined ? '' : `, merchants: [${merchants.join(', ')}]`;
  writeResult(output, { token, operator }, () => [
    output.paint('faint', 'Give this token to its owner only. It is not stored and not shown again:'),
    token,
    output.paint('faint', 'Add this line to `operators` in the configuration of the service, then run orch configuration apply:'),
    `- { name: ${name}, role: ${role}, tokenSha256: '${operator.tokenSha256}'${limit} }`,
  ]);
};

interface EndSessionsOptions {
  readonly reason: string;
  readonly actor?: string;
}

const endSessions = async (name: string, { reason, actor }: EndSessionsOptions, output: Output): Promise<void> => {
  const path = `/sessions/${encodeURIComponent(name)}/ending`;
  const ended = await OperatorPort.of().ask<{ readonly operator: string }>(path, { reason, ...claimOf(actor) });
  writeResult(output, ended, () => `the sessions of ${ended.operator} have ended: in every process within 5 s`);
};

export const addOperatorCommands = (program: Command, { output }: CommandContext): void => {
  const operators = program.command('operator').description('access to the operator port of the service');

  operators
    .command('new')
    .description('make a token for an operator, and the configuration line that accepts it')
    .requiredOption('--name <name>', 'the operator’s name, recorded in every event of the operator')
    .addOption(new Option('--role <role>', 'what the operator may do').choices(OPERATOR_ROLES).makeOptionMandatory())
    .option('--merchant <login...>', 'limit the operator to these merchants')
    .action((options: NewOperatorOptions) => newOperator(options, output()));

  program
    .command('sessions')
    .description('sessions of operators’ browsers; needs a running service')
    .command('end')
    .description('end every session of an operator; the token stays valid')
    .argument('<operator>', 'the operator’s name')
    .requiredOption(...REASON)
    .option(...ACTOR)
    .action((name: string, options: EndSessionsOptions) => endSessions(name, options, output()));
};
